{ The invoice that the till sends, and the answer of the service. Currency has four exact decimals; texts are UTF-8. }
unit FiscalInvoice;

{$mode delphi}{$H+}

interface

uses
  Classes, SysUtils, fpjson;

type
  TReceipt = record
    InvoiceNumber, SdcDateTime, VerificationUrl: string;
    { The text to print; empty with omitTextualRepresentation. }
    Journal: UTF8String;
    VerificationQRCode: string;
    TotalAmount: Currency;
    TotalCounter: Integer;
    class function FromJson(const Text: UTF8String): TReceipt; static;
    { Writes the QR code: a PNG, or the GIF of a device. }
    procedure SaveQr(const FileName: string);
  end;

  { An item of an invoice. Prices include tax. }
  TItem = record
    Name: UTF8String;
    { Quantity has at most 3 decimals, the others 2. }
    Quantity, UnitPrice, TotalAmount: Currency;
    Labels: TArray<UTF8String>;
  end;

  TPayment = record
    Amount: Currency;
    { Cash, Card, Check, WireTransfer, Voucher, MobileMoney or Other }
    PaymentType: string;
  end;

  { Refund, CopyOf and PointingTo return new invoices. Empty texts are left out. }
  TInvoice = record
    InvoiceType, TransactionType: string;
    Payment: TArray<TPayment>;
    Items: TArray<TItem>;
    Cashier, BuyerId, InvoiceNumber: UTF8String;
    ReferentDocumentNumber, ReferentDocumentDT: string;
    { Paid in cash. Change Payment for other payments. }
    class function Sale(const AItems: array of TItem): TInvoice; static;
    class function Advance(const AItems: array of TItem): TInvoice; static;
    { Number and time of an earlier receipt. The time chooses the tax rates of refunds and copies. }
    function PointingTo(const Receipt: TReceipt): TInvoice;
    { Refunds an invoice. This also closes an advance, whose final invoice then names this refund. }
    function Refund(const Receipt: TReceipt): TInvoice;
    function CopyOf(const Receipt: TReceipt): TInvoice;
    function ToJson: UTF8String;
  end;

function Item(const Name: UTF8String; Quantity, UnitPrice: Currency; const Labels: array of UTF8String): TItem;

{ A text field of a JSON object; empty if it is null or missing. }
function TextOf(Data: TJSONObject; const Name: string): UTF8String;

implementation

uses
  base64, jsonparser;

{ In whole numbers, a half rounded away from zero: thousandths of the quantity times hundredths of the price. }
function LineTotal(Quantity, UnitPrice: Currency): Currency;
var
  Thousandths, Hundredths, Exact: Int64;
begin
  // A Currency is an Int64 of ten-thousandths.
  Thousandths := PInt64(@Quantity)^ div 10;
  Hundredths := PInt64(@UnitPrice)^ div 100;
  Exact := Thousandths * Hundredths;
  if Exact < 0 then
    Dec(Exact, 500)
  else
    Inc(Exact, 500);
  PInt64(@Result)^ := Exact div 1000 * 100;
end;

function Item(const Name: UTF8String; Quantity, UnitPrice: Currency; const Labels: array of UTF8String): TItem;
var
  I: Integer;
begin
  Result.Name := Name;
  Result.Quantity := Quantity;
  Result.UnitPrice := UnitPrice;
  Result.TotalAmount := LineTotal(Quantity, UnitPrice);
  SetLength(Result.Labels, Length(Labels));
  for I := 0 to High(Labels) do
    Result.Labels[I] := Labels[I];
end;

function TextOf(Data: TJSONObject; const Name: string): UTF8String;
var
  Found: TJSONData;
begin
  Found := Data.Find(Name);
  if (Found = nil) or Found.IsNull then
    Result := ''
  else
    Result := Found.AsString;
end;

class function TInvoice.Sale(const AItems: array of TItem): TInvoice;
var
  I: Integer;
begin
  Result := Default(TInvoice);
  Result.InvoiceType := 'Normal';
  Result.TransactionType := 'Sale';
  SetLength(Result.Payment, 1);
  Result.Payment[0].PaymentType := 'Cash';
  SetLength(Result.Items, Length(AItems));
  for I := 0 to High(AItems) do
  begin
    Result.Items[I] := AItems[I];
    Result.Payment[0].Amount := Result.Payment[0].Amount + AItems[I].TotalAmount;
  end;
end;

class function TInvoice.Advance(const AItems: array of TItem): TInvoice;
begin
  Result := Sale(AItems);
  Result.InvoiceType := 'Advance';
end;

function TInvoice.PointingTo(const Receipt: TReceipt): TInvoice;
begin
  Result := Self;
  Result.ReferentDocumentNumber := Receipt.InvoiceNumber;
  Result.ReferentDocumentDT := Receipt.SdcDateTime;
end;

function TInvoice.Refund(const Receipt: TReceipt): TInvoice;
begin
  Result := PointingTo(Receipt);
  Result.TransactionType := 'Refund';
end;

function TInvoice.CopyOf(const Receipt: TReceipt): TInvoice;
begin
  Result := PointingTo(Receipt);
  Result.InvoiceType := 'Copy';
end;

function Quoted(const Text: UTF8String): UTF8String;
begin
  Result := '"' + StringToJSONString(Text) + '"';
end;

{ Not a number of fpjson, which would be a floating-point number. }
function Decimal(Value: Currency; Decimals: Integer): UTF8String;
var
  Text: ShortString;
begin
  Str(Value:0:Decimals, Text);
  Result := Text;
end;

procedure Add(var Json: UTF8String; const Name: string; const Value: UTF8String);
begin
  if (Json <> '') and not (Json[Length(Json)] in ['{', '[']) then
    Json := Json + ',';
  if Name <> '' then
    Json := Json + '"' + Name + '":';
  Json := Json + Value;
end;

procedure AddText(var Json: UTF8String; const Name: string; const Value: UTF8String);
begin
  if Value <> '' then
    Add(Json, Name, Quoted(Value));
end;

function TInvoice.ToJson: UTF8String;
var
  Paid: TPayment;
  Line: TItem;
  TaxLabel, Payments, Lines, Labels, One: UTF8String;
begin
  Payments := '[';
  for Paid in Payment do
  begin
    One := '{';
    Add(One, 'amount', Decimal(Paid.Amount, 2));
    Add(One, 'paymentType', Quoted(Paid.PaymentType));
    Add(Payments, '', One + '}');
  end;
  Lines := '[';
  for Line in Items do
  begin
    Labels := '[';
    for TaxLabel in Line.Labels do
      Add(Labels, '', Quoted(TaxLabel));
    One := '{';
    Add(One, 'name', Quoted(Line.Name));
    Add(One, 'quantity', Decimal(Line.Quantity, 3));
    Add(One, 'unitPrice', Decimal(Line.UnitPrice, 2));
    Add(One, 'labels', Labels + ']');
    Add(One, 'totalAmount', Decimal(Line.TotalAmount, 2));
    Add(Lines, '', One + '}');
  end;
  Result := '{';
  AddText(Result, 'invoiceType', InvoiceType);
  AddText(Result, 'transactionType', TransactionType);
  Add(Result, 'payment', Payments + ']');
  Add(Result, 'items', Lines + ']');
  AddText(Result, 'cashier', Cashier);
  AddText(Result, 'buyerId', BuyerId);
  AddText(Result, 'invoiceNumber', InvoiceNumber);
  AddText(Result, 'referentDocumentNumber', ReferentDocumentNumber);
  AddText(Result, 'referentDocumentDT', ReferentDocumentDT);
  Result := Result + '}';
end;

class function TReceipt.FromJson(const Text: UTF8String): TReceipt;
var
  Data: TJSONData;
  Fields: TJSONObject;
begin
  Data := GetJSON(Text);
  try
    if not (Data is TJSONObject) then
      raise EJSON.Create('a JSON object was expected');
    Fields := TJSONObject(Data);
    Result.InvoiceNumber := Fields.Strings['invoiceNumber'];
    Result.SdcDateTime := Fields.Strings['sdcDateTime'];
    Result.VerificationUrl := TextOf(Fields, 'verificationUrl');
    Result.Journal := TextOf(Fields, 'journal');
    Result.VerificationQRCode := TextOf(Fields, 'verificationQRCode');
    // fpjson reads a double. It is exact enough up to 15 digits, and Currency takes the nearest decimal.
    Result.TotalAmount := Fields.Floats['totalAmount'];
    Result.TotalCounter := Fields.Integers['totalCounter'];
  finally
    Data.Free;
  end;
end;

procedure TReceipt.SaveQr(const FileName: string);
const
  PNG = 'data:image/png;base64,';
  { The beginning of a GIF in base64, which devices send. }
  GIF = 'R0lGOD';
var
  Image: RawByteString;
  Written: TFileStream;
begin
  if Copy(VerificationQRCode, 1, Length(PNG)) = PNG then
    Image := DecodeStringBase64(Copy(VerificationQRCode, Length(PNG) + 1, MaxInt))
  else if Copy(VerificationQRCode, 1, Length(GIF)) = GIF then
    Image := DecodeStringBase64(VerificationQRCode)
  else
    raise Exception.Create('the receipt has no picture of a QR code; look at omitQRCodeGen');
  Written := TFileStream.Create(FileName, fmCreate);
  try
    Written.WriteBuffer(Image[1], Length(Image));
  finally
    Written.Free;
  end;
end;

end.
