/** The codes in the languages of clients/, each with the action that a till takes next. */
import { describeCode, FISCAL_CODES, type FiscalCode } from "../../src/fiscal/codes.js";

/** What a till does after a code. The words are the same in every language. */
export const ACTIONS = {
  none: "nothing: no error, or information for a technician",
  "insert-card": "ask for the card, then for its PIN, then send the sale again with the same RequestId",
  "enter-pin": "ask for the PIN, then send the sale again with the same RequestId",
  repeat: "send the sale again with the same RequestId; the card may have signed it",
  correct: "correct the request; `details` names the field",
  audit:
    "show the message. Usually the card needs an audit: connect to the tax authority, or export to a stick; then send a refused sale again with the same RequestId",
  call: "show the message and call the technician; a repeat does not help",
} as const;

export type Action = keyof typeof ACTIONS;

export const ACTION_OF = {
  "0000": "none",
  "0100": "none",
  "0210": "none",
  "0220": "none",
  "1100": "audit",
  "1300": "insert-card",
  "1400": "audit",
  "1500": "enter-pin",
  "1999": "repeat",
  "2100": "enter-pin",
  "2110": "call",
  "2210": "audit",
  "2220": "repeat",
  "2230": "call",
  "2310": "correct",
  "2400": "call",
  "2800": "correct",
  "2801": "correct",
  "2802": "correct",
  "2803": "correct",
  "2804": "correct",
  "2805": "correct",
  "2806": "correct",
  "2807": "correct",
  "2808": "correct",
  "2809": "call",
} as const satisfies Readonly<Record<FiscalCode, Action>>;

type Acting = {
  [Code in FiscalCode]: (typeof ACTION_OF)[Code] extends "none" | "correct" ? never : Code;
}[FiscalCode];

/** Codes after which a POS cannot sell until a person acts. 1400 is only a warning. */
export type StoppingCode = Exclude<Acting, "1400">;

const WRITTEN = "Written by `npm run docs` from src/fiscal/codes.ts. Do not edit.";

/** Rows in the order of the codes. A JavaScript object has `0100` after `1100`. */
function rows(row: Row): string {
  return FISCAL_CODES.toSorted()
    .map((code) => `${row(code, ACTION_OF[code], describeCode(code).meaning)}\n`)
    .join("");
}

type Row = (code: string, action: string, meaning: string) => string;

const quoted = (row: Row) =>
  rows((code, action, meaning) => row(JSON.stringify(code), JSON.stringify(action), JSON.stringify(meaning)));

const pascal = (row: Row) =>
  rows((...texts) => {
    const [code, action, meaning] = texts.map((text) => `'${text.replaceAll("'", "''")}'`) as [string, string, string];
    return row(code, action, meaning);
  });

/** For languages that do not allow a comma after the last row. */
const separated = (quote: (row: Row) => string, row: Row) =>
  quote((...fields) => `${row(...fields)},`).slice(0, -",\n".length);

/** Files of clients/ by their names. */
export const CLIENT_CODES: Readonly<Record<string, string>> = {
  "clients/python/fiscal_codes.py": `"""${WRITTEN}"""

CODES = {
${quoted((code, action, meaning) => `    ${code}: (${action}, ${meaning}),`)}}
`,
  "clients/php/FiscalCodes.php": `<?php

declare(strict_types=1);

// ${WRITTEN}
return [
${quoted((code, action, meaning) => `    ${code} => [${action}, ${meaning}],`)}];
`,
  "clients/typescript/codes.ts": `/** ${WRITTEN} */

/** What a till does next. */
export type Action = ${Object.keys(ACTIONS)
    .map((action) => JSON.stringify(action))
    .join(" | ")};

export const CODES = {
${quoted((code, action, meaning) => `  ${code}: { action: ${action}, meaning: ${meaning} },`)}} as const satisfies Readonly<
  Record<string, { readonly action: Action; readonly meaning: string }>
>;
`,
  "clients/go/codes.go": `package fiscal

// ${WRITTEN}

// Code says what a till does next, and what the code means.
type Code struct{ Action, Meaning string }

var Codes = map[string]Code{
${quoted((code, action, meaning) => `\t${code}: {${action}, ${meaning}},`)}}
`,
  "clients/java/fiscal/FiscalCodes.java": `package fiscal;

import java.util.Map;

// ${WRITTEN}

/** What a till does next, and what the code means. */
public record FiscalCodes(String action, String meaning) {
    static FiscalCodes of(String code) {
        return CODES.getOrDefault(code, new FiscalCodes("call", "unknown code"));
    }

    public static final Map<String, FiscalCodes> CODES = Map.ofEntries(
${separated(quoted, (code, action, meaning) => `        Map.entry(${code}, new FiscalCodes(${action}, ${meaning}))`)}
    );
}
`,
  "clients/csharp/FiscalCodes.cs": `using System.Collections.Generic;

// ${WRITTEN}
namespace Fiscal
{
    /// <summary>What a till does next, and what the code means.</summary>
    public sealed class FiscalCodes
    {
        public string Action { get; private set; }
        public string Meaning { get; private set; }

        private FiscalCodes(string action, string meaning)
        {
            Action = action;
            Meaning = meaning;
        }

        public static FiscalCodes Of(string code)
        {
            FiscalCodes known;
            return All.TryGetValue(code, out known) ? known : new FiscalCodes("call", "unknown code");
        }

        public static readonly IReadOnlyDictionary<string, FiscalCodes> All = new Dictionary<string, FiscalCodes>
        {
${quoted((code, action, meaning) => `            { ${code}, new FiscalCodes(${action}, ${meaning}) },`)}        };
    }
}
`,
  "clients/pascal/FiscalCodes.pas": `{ ${WRITTEN} }
unit FiscalCodes;

{$mode delphi}{$H+}

interface

type
  { What a till does next, and what the code means. }
  TFiscalCode = record
    Code, Action, Meaning: string;
  end;

const
  FISCAL_CODES: array[0..${FISCAL_CODES.length - 1}] of TFiscalCode = (
${separated(pascal, (code, action, meaning) => `    (Code: ${code}; Action: ${action}; Meaning: ${meaning})`)}
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
`,
};

/** Rows of the table on clients/README.md. */
export const ACTION_ROWS = Object.entries(ACTIONS).map(([action, what]) => [
  `\`${action}\``,
  FISCAL_CODES.toSorted()
    .filter((code) => ACTION_OF[code] === action)
    .map((code) => `\`${code}\``)
    .join(", "),
  what,
]);
