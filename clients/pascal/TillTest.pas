{ The behaviours that clients/behaviours.json lists. }
program TillTest;

{$mode delphi}{$H+}{$codepage utf8}

uses
  // Without it, Free Pascal turns letters of a literal into question marks.
  {$ifdef unix} cwstring, {$endif}
  Classes, SysUtils, FiscalClient, FiscalInvoice, Emulator;

type
  TTest = procedure;

var
  Card: TEmulator;
  Till: TFiscalClient;
  Failed: Integer = 0;

function NewId: string;
var
  Id: TGUID;
begin
  CreateGUID(Id);
  Result := StringReplace(Copy(GUIDToString(Id), 2, 36), '-', '', [rfReplaceAll]);
end;

function Coffee: TInvoice;
begin
  Result := TInvoice.Sale([Item('Coffee', 2, 120, ['A'])]);
end;

procedure Same(const Expected, Actual: string);
begin
  if Expected <> Actual then
    raise Exception.Create('expected ' + Expected + ', got ' + Actual);
end;

{ CurrToStr writes the decimal comma of the environment. }
function InText(Amount: Currency): string;
begin
  Str(Amount:0:2, Result);
end;

procedure Contains(const Part, Text: UTF8String);
begin
  if Pos(Part, Text) = 0 then
    raise Exception.Create('there is no ' + Part + ' in ' + Text);
end;

procedure Counted(const Name: string; Expected: Integer);
begin
  Same(IntToStr(Expected), IntToStr(Card.Counter(Name)));
end;

procedure Refused(const Code, Action: string; const Invoice: TInvoice; const RequestId: string);
begin
  try
    Till.Submit(Invoice, RequestId);
  except
    on E: EFiscalError do
    begin
      Same(Code + ' ' + Action, E.Code + ' ' + E.Action);
      Exit;
    end;
  end;
  raise Exception.Create(Code + ' was expected');
end;

procedure RefusedPin(const Code, Action, Pin: string);
begin
  try
    Till.VerifyPin(Pin);
  except
    on E: EFiscalError do
    begin
      Same(Code + ' ' + Action, E.Code + ' ' + E.Action);
      Exit;
    end;
  end;
  raise Exception.Create(Code + ' was expected');
end;

procedure Pin;
begin
  RefusedPin('2100', 'enter-pin', '0000');
  Till.VerifyPin(Card.Pin);
  Same('False', BoolToStr(Till.IsPinRequired, True));
end;

procedure Sell;
var
  Receipt: TReceipt;
begin
  Till.VerifyPin(Card.Pin);
  Receipt := Till.Submit(TInvoice.Sale([Item('Кафа', 2, 120, ['A'])]), NewId);
  Contains('Кафа (A)', Receipt.Journal);
  Same('240.00', InText(Receipt.TotalAmount));
  Same('1', IntToStr(Receipt.TotalCounter));
  Counted('NS', 1);
end;

procedure Refund;
var
  Sold: TReceipt;
begin
  Till.VerifyPin(Card.Pin);
  Sold := Till.Submit(Coffee, NewId);
  Contains(Sold.InvoiceNumber, Till.Submit(Coffee.Refund(Sold), NewId).Journal);
  Counted('NR', 1);
end;

procedure CopyOf;
var
  Sold: TReceipt;
begin
  Till.VerifyPin(Card.Pin);
  Sold := Till.Submit(Coffee, NewId);
  Contains(Sold.InvoiceNumber, Till.Submit(Coffee.CopyOf(Sold), NewId).Journal);
  Counted('CS', 1);
end;

procedure Advance;
var
  Deposit: TInvoice;
  Closed: TReceipt;
begin
  Till.VerifyPin(Card.Pin);
  Deposit := TInvoice.Advance([Item('Deposit for a table', 1, 100, ['A'])]);
  Closed := Till.Submit(Deposit.Refund(Till.Submit(Deposit, NewId)), NewId);
  Contains(Closed.InvoiceNumber, Till.Submit(Coffee.PointingTo(Closed), NewId).Journal);
  Counted('AS', 1);
  Counted('AR', 1);
  Counted('NS', 1);
end;

procedure LostAnswer;
var
  Id: string;
  Receipt: TReceipt;
begin
  Till.VerifyPin(Card.Pin);
  Card.Fault('{"on":"answer","nth":1,"kind":"connectionDropped"}');
  Id := NewId;
  Receipt := Till.Submit(Coffee, Id);
  Same(Receipt.VerificationUrl, Till.Submit(Coffee, Id).VerificationUrl);
  Counted('total', 1);
end;

procedure BrokenAnswer;
var
  Impatient: TFiscalClient;
begin
  Till.VerifyPin(Card.Pin);
  Impatient := TFiscalClient.Create(Card.Url);
  try
    Impatient.Timeout := 2000;
    Impatient.Pause := 100;
    Card.Fault('{"on":"answer","nth":1,"kind":"short"}');
    Contains('Coffee', Impatient.Submit(Coffee, NewId).Journal);
    Card.Fault('{"on":"answer","nth":1,"kind":"latency","duration":"60s"}');
    Contains('Coffee', Impatient.Submit(Coffee, NewId).Journal);
  finally
    Impatient.Free;
  end;
  Counted('total', 2);
end;

procedure GaveUp;
var
  Id, Lost: string;
begin
  Till.VerifyPin(Card.Pin);
  Card.Fault('{"on":"answer","kind":"connectionDropped"}');
  Id := NewId;
  Lost := '';
  try
    Till.Submit(Coffee, Id);
  except
    on E: EAnswerLost do
      Lost := E.RequestId;
  end;
  Same(Id, Lost);
  Card.RemoveFaults;
  Contains('Coffee', Till.Submit(Coffee, Id).Journal);
  Counted('total', 1);
end;

procedure Money;
var
  Small: TInvoice;
begin
  Till.VerifyPin(Card.Pin);
  Same('1.01', InText(Item('Nails', 0.5, 2.01, ['A']).TotalAmount));
  Small := TInvoice.Sale([Item('Bag', 1, 0.1, ['A']), Item('Straw', 1, 0.2, ['A'])]);
  Same('0.30', InText(Small.Payment[0].Amount));
  Same('0.30', InText(Till.Submit(Small, NewId).TotalAmount));
end;

procedure Codes;
var
  Missing: TInvoice;
  Id: string;
begin
  Id := NewId;
  Till.VerifyPin(Card.Pin);
  Refused('2310', 'correct', TInvoice.Sale([Item('Coffee', 2, 120, ['Q'])]), NewId);
  Card.Reset;
  Till.VerifyPin(Card.Pin);
  Missing := Coffee;
  Missing.InvoiceType := '';
  Refused('2800', 'correct', Missing, NewId);
  Card.Reset;
  Till.VerifyPin(Card.Pin);
  Card.PatchCard('{"limit":"100","sum":"100"}');
  Refused('2210', 'audit', Coffee, Id);
  Card.RemoveCard;
  Refused('1300', 'insert-card', Coffee, Id);
  Card.InsertCard;
  Refused('1500', 'enter-pin', Coffee, Id);
  Card.LockCard;
  RefusedPin('2110', 'call', Card.Pin);
end;

procedure Qr;
const
  HEAD: array[1..8] of Byte = ($89, $50, $4e, $47, $0d, $0a, $1a, $0a);
var
  FileName: string;
  Saved: TFileStream;
  Bytes: array[1..8] of Byte;
begin
  Till.VerifyPin(Card.Pin);
  FileName := GetTempFileName;
  Till.Submit(Coffee, NewId).SaveQr(FileName);
  Saved := TFileStream.Create(FileName, fmOpenRead);
  try
    Saved.ReadBuffer(Bytes, 8);
  finally
    Saved.Free;
  end;
  DeleteFile(FileName);
  if not CompareMem(@HEAD, @Bytes, 8) then
    raise Exception.Create('no PNG');
end;

procedure Device;
var
  FileName, Id: string;
  Saved: TFileStream;
  Head: array[1..3] of Char;
begin
  Id := NewId;
  Card.Given('{"settings":{"answerForm":"device"}}');
  try
    Refused('1500', 'enter-pin', Coffee, Id);
    RefusedPin('2100', 'enter-pin', '0000');
    Till.VerifyPin(Card.Pin);
    FileName := GetTempFileName;
    Till.Submit(Coffee, Id).SaveQr(FileName);
    Saved := TFileStream.Create(FileName, fmOpenRead);
    try
      Saved.ReadBuffer(Head, 3);
    finally
      Saved.Free;
    end;
    DeleteFile(FileName);
    if Head <> 'GIF' then
      raise Exception.Create('no GIF');
  finally
    Card.Given('{}');
  end;
end;

procedure Reset;
begin
  Till.VerifyPin(Card.Pin);
  Till.Submit(Coffee, NewId);
  Card.RemoveCard;
  Card.Reset;
  Counted('total', 0);
  Till.VerifyPin(Card.Pin);
end;

procedure Run(const Name: string; Test: TTest);
begin
  try
    Card.Reset;
    Test;
    WriteLn('ok ', Name);
  except
    on E: Exception do
    begin
      Inc(Failed);
      WriteLn('not ok ', Name, ': ', E.ClassName, ' ', E.Message);
    end;
  end;
end;

begin
  Card := TEmulator.Create;
  Till := TFiscalClient.Create(Card.Url);
  try
    Till.Pause := 100;
    Run('pin', Pin);
    Run('sell', Sell);
    Run('refund', Refund);
    Run('copy', CopyOf);
    Run('advance', Advance);
    Run('lost-answer', LostAnswer);
    Run('broken-answer', BrokenAnswer);
    Run('gave-up', GaveUp);
    Run('money', Money);
    Run('codes', Codes);
    Run('qr', Qr);
    Run('device', Device);
    Run('reset', Reset);
  finally
    Till.Free;
    Card.Free;
  end;
  if Failed > 0 then
    Halt(1);
end.
