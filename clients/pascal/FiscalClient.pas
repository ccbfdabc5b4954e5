{ A client for tillseal and services with the same API. Free Pascal 3.2 and later, with the units that come with it. }
unit FiscalClient;

{$mode delphi}{$H+}

interface

uses
  Classes, SysUtils, FiscalInvoice;

type
  { The service refused the request. }
  EFiscalError = class(Exception)
  private
    FCode, FAction, FDetails: string;
  public
    constructor Create(const ACode, AMessage, ADetails: string);
    { Four digits. }
    property Code: string read FCode;
    { What the till does next: one of the actions in FiscalCodes. }
    property Action: string read FAction;
    property Details: string read FDetails;
  end;

  { No answer came. The card may have signed: send the same invoice with the same RequestId until an answer comes. }
  EAnswerLost = class(Exception)
  private
    FRequestId: string;
  public
    constructor Create(const ARequestId, Cause: string);
    property RequestId: string read FRequestId;
  end;

  TFiscalClient = class
  private
    FUrl: string;
    FTimeout, FAttempts, FPause: Integer;
    function Send(const Method, Path, ContentType, RequestId: string; const Body: UTF8String): UTF8String;
    class function ErrorOf(const Body: UTF8String): EFiscalError;
  public
    { Url: such as http://localhost:8431/api/v3 }
    constructor Create(const Url: string);
    { Opens the card. EFiscalError: 2100 (wrong), 2110 (locked), 1300 (no card), 2220. }
    procedure VerifyPin(const Pin: string);
    function IsPinRequired: Boolean;
    { Signs an invoice. A repeat with the same RequestId is never signed twice.
      RequestId: up to 32 characters, new for each invoice and stored by the till before it calls.
      Raises EFiscalError, and EAnswerLost after the last attempt. }
    function Submit(const Invoice: TInvoice; const RequestId: string): TReceipt;
    { In ms, for the connection and for each silence in the answer; 30,000 at first. }
    property Timeout: Integer read FTimeout write FTimeout;
    property Attempts: Integer read FAttempts write FAttempts;
    { In ms, before the second attempt; it doubles with each further attempt. 1,000 at first. }
    property Pause: Integer read FPause write FPause;
  end;

implementation

uses
  fphttpclient, httpdefs, ssockets, fpjson, jsonparser, jsonscanner, FiscalCodes;

constructor EFiscalError.Create(const ACode, AMessage, ADetails: string);
begin
  inherited Create(Trim(ACode + ' ' + AMessage + ' ' + ADetails));
  FCode := ACode;
  FAction := FiscalCodeOf(ACode).Action;
  FDetails := ADetails;
end;

constructor EAnswerLost.Create(const ARequestId, Cause: string);
begin
  inherited Create('no answer to ' + ARequestId + '; send it again with the same RequestId: ' + Cause);
  FRequestId := ARequestId;
end;

constructor TFiscalClient.Create(const Url: string);
begin
  FUrl := Url;
  while FUrl.EndsWith('/') do
    SetLength(FUrl, Length(FUrl) - 1);
  FTimeout := 30000;
  FAttempts := 3;
  FPause := 1000;
end;

procedure TFiscalClient.VerifyPin(const Pin: string);
var
  Code: string;
begin
  Code := Trim(StringReplace(Send('POST', '/pin', 'text/plain', '', Pin), '"', '', [rfReplaceAll]));
  if Code <> '0100' then
    raise EFiscalError.Create(Code, FiscalCodeOf(Code).Meaning, '');
end;

function TFiscalClient.IsPinRequired: Boolean;
var
  Status: TJSONData;
begin
  Status := GetJSON(Send('GET', '/status', '', '', ''));
  try
    Result := (Status as TJSONObject).Booleans['isPinRequired'];
  finally
    Status.Free;
  end;
end;

function TFiscalClient.Submit(const Invoice: TInvoice; const RequestId: string): TReceipt;
var
  Attempt: Integer;
  Lost: string;
begin
  Lost := '';
  for Attempt := 1 to FAttempts do
  begin
    if Attempt > 1 then
      Sleep(FPause shl (Attempt - 2));
    try
      Exit(TReceipt.FromJson(Send('POST', '/invoices', 'application/json', RequestId, Invoice.ToJson)));
    except
      // Refusals of the service are not among these. A truncated answer is not valid JSON, so it counts as lost too.
      on E: ESocketError do Lost := E.Message;
      on E: EHTTP do Lost := E.Message;
      on E: EStreamError do Lost := E.Message;
      on E: EJSON do Lost := E.Message;
      on E: EParserError do Lost := E.Message;
      on E: EScannerError do Lost := E.Message;
    end;
  end;
  raise EAnswerLost.Create(RequestId, Lost);
end;

function TFiscalClient.Send(const Method, Path, ContentType, RequestId: string; const Body: UTF8String): UTF8String;
var
  Http: TFPHTTPClient;
  Sent, Answer: TRawByteStringStream;
begin
  Sent := TRawByteStringStream.Create(Body);
  Answer := TRawByteStringStream.Create;
  Http := TFPHTTPClient.Create(nil);
  try
    Http.ConnectTimeout := FTimeout;
    Http.IOTimeout := FTimeout;
    Http.AddHeader('Accept', 'application/json');
    if ContentType <> '' then
      Http.AddHeader('Content-Type', ContentType);
    if RequestId <> '' then
      Http.AddHeader('RequestId', RequestId);
    if Method = 'POST' then
      Http.RequestBody := Sent;
    Http.HTTPMethod(Method, FUrl + Path, Answer, []);
    Result := Answer.DataString;
    SetCodePage(RawByteString(Result), CP_UTF8, False);
    if Http.ResponseStatusCode >= 400 then
      raise ErrorOf(Result);
  finally
    Http.Free;
    Answer.Free;
    Sent.Free;
  end;
end;

class function TFiscalClient.ErrorOf(const Body: UTF8String): EFiscalError;
var
  Data: TJSONData;
  Code: string;
begin
  Data := nil;
  try
    try
      Data := GetJSON(Body);
    except
      // The answer is not from the service, but for example from a proxy.
      on E: Exception do ;
    end;
    // Devices send some errors as the code alone, which is a number.
    if (Data is TJSONString) or (Data is TJSONNumber) then
      Exit(EFiscalError.Create(Data.AsString, FiscalCodeOf(Data.AsString).Meaning, ''));
    if Data is TJSONObject then
    begin
      Code := TJSONObject(Data).Get('code', '');
      if Code <> '' then
        Exit(EFiscalError.Create(Code, TextOf(TJSONObject(Data), 'message'), TextOf(TJSONObject(Data), 'details')));
    end;
    Result := EFiscalError.Create('1999', 'the answer is not an error record', Body);
  finally
    Data.Free;
  end;
end;

end.
