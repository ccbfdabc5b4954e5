{ Written by `npm run docs` from src/fiscal/codes.ts. Do not edit. }
unit FiscalCodes;

{$mode delphi}{$H+}

interface

type
  { What a till does next, and what the code means. }
  TFiscalCode = record
    Code, Action, Meaning: string;
  end;

const
  FISCAL_CODES: array[0..25] of TFiscalCode = (
    (Code: '0000'; Action: 'none'; Meaning: 'All OK'),
    (Code: '0100'; Action: 'none'; Meaning: 'PIN verified'),
    (Code: '0210'; Action: 'none'; Meaning: 'Tax authority reachable'),
    (Code: '0220'; Action: 'none'; Meaning: 'Tax authority not reachable'),
    (Code: '1100'; Action: 'audit'; Meaning: 'Store of unsent audit packages is 90 % full'),
    (Code: '1300'; Action: 'insert-card'; Meaning: 'Smart card is not present'),
    (Code: '1400'; Action: 'audit'; Meaning: 'Audit required'),
    (Code: '1500'; Action: 'enter-pin'; Meaning: 'PIN required'),
    (Code: '1999'; Action: 'repeat'; Meaning: 'Other warning, see mssc or details'),
    (Code: '2100'; Action: 'enter-pin'; Meaning: 'Incorrect PIN'),
    (Code: '2110'; Action: 'call'; Meaning: 'Card locked: no PIN attempts are left'),
    (Code: '2210'; Action: 'audit'; Meaning: 'Secure Element locked: amount limit reached, signing disabled by the tax authority, or invoice counter of the card used up'),
    (Code: '2220'; Action: 'repeat'; Meaning: 'Cannot connect to the Secure Element'),
    (Code: '2230'; Action: 'call'; Meaning: 'Card protocol is not supported'),
    (Code: '2310'; Action: 'correct'; Meaning: 'Invalid tax labels'),
    (Code: '2400'; Action: 'call'; Meaning: 'Not configured'),
    (Code: '2800'; Action: 'correct'; Meaning: 'Required field is missing'),
    (Code: '2801'; Action: 'correct'; Meaning: 'Value is too long'),
    (Code: '2802'; Action: 'correct'; Meaning: 'Value is too short'),
    (Code: '2803'; Action: 'correct'; Meaning: 'Value has the wrong length'),
    (Code: '2804'; Action: 'correct'; Meaning: 'Value is out of range'),
    (Code: '2805'; Action: 'correct'; Meaning: 'Invalid value'),
    (Code: '2806'; Action: 'correct'; Meaning: 'Invalid format'),
    (Code: '2807'; Action: 'correct'; Meaning: 'List has too few entries'),
    (Code: '2808'; Action: 'correct'; Meaning: 'List has too many entries'),
    (Code: '2809'; Action: 'call'; Meaning: 'Invoice time is outside the validity of the card''s certificate')
  );

{ A code that is not in the list has the action 'call'. }
function FiscalCodeOf(const Code: string): TFiscalCode;

implementation

function FiscalCodeOf(const Code: string): TFiscalCode;
begin
  for Result in FISCAL_CODES do
    if Result.Code = Code then
      Exit;
  Result.Code := Code;
  Result.Action := 'call';
  Result.Meaning := 'unknown code';
end;

end.
