{ A test fixture: starts `tillseal serve` on free ports and drives its card. For your tests, not for a till.
  Set TILLSEAL_URL and TILLSEAL_CONTROL_URL, as tillseal rehearse does, to use an emulator that is already running. }
unit Emulator;

{$mode delphi}{$H+}

interface

uses
  Classes, SysUtils, process;

type
  TEmulator = class
  private
    FUrl, FControlUrl: string;
    FProcess: TProcess;
    procedure Start;
    function Control(const Method, Path, Body: string): RawByteString;
  public
    constructor Create;
    { Ends the emulator that Create started. }
    destructor Destroy; override;
    // Does a step of a scenario, such as '{"card":"unplug"}'.
    procedure DoStep(const Step: string);
    procedure InsertCard;
    procedure RemoveCard;
    procedure LockCard;
    // Such as '{"limit":"100","sum":"99.5"}': amounts are decimal text.
    procedure PatchCard(const Fields: string);
    { Number of invoices that the card has signed: 'total', or a pair of types by its letters, such as 'NS'. }
    function Counter(const Name: string): Integer;
    // Such as '{"on":"sign","kind":"removedAfter"}'; with "nth":1 only the first time.
    procedure Fault(const Json: string);
    procedure RemoveFaults;
    { Restarts in another situation, which is JSON; an empty object is the usual one. }
    procedure Given(const Json: string);
    { Resets card, store, clock and faults to the start. }
    procedure Reset;
    function Pin: string;
    property Url: string read FUrl;
    property ControlUrl: string read FControlUrl;
  end;

implementation

uses
  fphttpclient, fpjson, jsonparser;

constructor TEmulator.Create;
begin
  FUrl := GetEnvironmentVariable('TILLSEAL_URL');
  FControlUrl := GetEnvironmentVariable('TILLSEAL_CONTROL_URL');
  if (FUrl = '') or (FControlUrl = '') then
    Start
  else
    FUrl := FUrl + '/api/v3';
end;

destructor TEmulator.Destroy;
begin
  if FProcess <> nil then
  begin
    // If the process did not start, the signal would reach this process and its group.
    if FProcess.Running then
    begin
      FProcess.Terminate(0);
      FProcess.WaitOnExit;
    end;
    FProcess.Free;
  end;
  inherited;
end;

function ReadLine(Stream: TStream; out Line: string): Boolean;
var
  C: Char;
begin
  Line := '';
  Result := False;
  while Stream.Read(C, 1) = 1 do
  begin
    Result := True;
    if C = #10 then
      Exit;
    Line := Line + C;
  end;
end;

{ The first word of a line that begins with http. }
function AddressIn(const Line: string): string;
begin
  Result := Copy(Line, Pos('http://', Line), MaxInt);
  if Pos(' ', Result) > 0 then
    Result := Copy(Result, 1, Pos(' ', Result) - 1);
end;

procedure TEmulator.Start;
var
  Command, Line, Said, Word: string;
begin
  // Not `npx tillseal`: the signal that ends npx would leave the emulator behind.
  Command := GetEnvironmentVariable('TILLSEAL');
  if Command = '' then
    Command := 'node node_modules/tillseal/dist/src/cli.js';
  FProcess := TProcess.Create(nil);
  FProcess.Options := [poUsePipes, poStderrToOutPut];
  // The end of its stdin, a pipe, ends the emulator, also when this program is killed.
  for Word in (Command + ' serve --port 0 --control-port 0 --no-authority --until-stdin-ends').Split([' ']) do
    if FProcess.Executable = '' then
      FProcess.Executable := Word
    else
      FProcess.Parameters.Add(Word);
  FProcess.Execute;
  Said := '';
  while ReadLine(FProcess.Output, Line) do
  begin
    Said := Said + Line + LineEnding;
    if Pos('listens on ', Line) > 0 then
      FUrl := AddressIn(Line);
    if Pos('/control drives', Line) > 0 then
      FControlUrl := StringReplace(AddressIn(Line), '/control', '', []);
    if Trim(Line) = 'ready' then
      Exit;
  end;
  raise Exception.Create(Command + ' did not start: ' + Said);
end;

procedure TEmulator.DoStep(const Step: string);
begin
  Control('POST', '/do', Step);
end;

procedure TEmulator.InsertCard;
begin
  DoStep('{"card":"insert"}');
end;

procedure TEmulator.RemoveCard;
begin
  DoStep('{"card":"remove"}');
end;

procedure TEmulator.LockCard;
begin
  PatchCard('{"locked":true}');
end;

procedure TEmulator.PatchCard(const Fields: string);
begin
  DoStep('{"card":{"patch":' + Fields + '}}');
end;

function TEmulator.Counter(const Name: string): Integer;
var
  Card: TJSONData;
begin
  Card := GetJSON(Control('GET', '/card', ''));
  try
    Result := (Card as TJSONObject).Objects['counters'].Integers[Name];
  finally
    Card.Free;
  end;
end;

procedure TEmulator.Fault(const Json: string);
begin
  DoStep('{"faults":[' + Json + ']}');
end;

procedure TEmulator.RemoveFaults;
begin
  DoStep('{"faults":"clear"}');
end;

procedure TEmulator.Given(const Json: string);
begin
  Control('POST', '/given', Json);
end;

procedure TEmulator.Reset;
begin
  Control('POST', '/reset', '{}');
end;

function TEmulator.Pin: string;
begin
  Result := '1234';
end;

function TEmulator.Control(const Method, Path, Body: string): RawByteString;
var
  Http: TFPHTTPClient;
  Sent, Answer: TRawByteStringStream;
begin
  Sent := TRawByteStringStream.Create(Body);
  Answer := TRawByteStringStream.Create;
  Http := TFPHTTPClient.Create(nil);
  try
    Http.IOTimeout := 30000;
    if Body <> '' then
      Http.RequestBody := Sent;
    Http.HTTPMethod(Method, FControlUrl + '/control' + Path, Answer, []);
    Result := Answer.DataString;
    if Http.ResponseStatusCode >= 300 then
      raise Exception.Create(Method + ' ' + Path + ': ' + Result);
  finally
    Http.Free;
    Answer.Free;
    Sent.Free;
  end;
end;

end.
