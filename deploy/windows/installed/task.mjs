/** Scheduled tasks as XML (Microsoft, "Task Scheduler Schema"), for `schtasks /create /xml`. */

/** NT AUTHORITY\LOCAL SERVICE: hardly any rights, no password, and the same on a Windows in every language. */
export const ACCOUNT = "S-1-5-19";

/** The service. Windows starts it before anybody logs in; no time limit, no stop on batteries, ordinary priority. */
export function serviceTask(script) {
  return task({
    about: "tillseal, the fiscal service of this till. It starts with Windows. Docs: docs/windows.md of tillseal.",
    trigger: "<BootTrigger><Enabled>true</Enabled></BootTrigger>",
    script,
  });
}

/** Windows writes event 1074 when it begins to shut down or to restart; the answers in flight are then finished. */
export function shutdownTask(script) {
  const events = "*[System[Provider[@Name='User32'] and EventID=1074]]";
  const query = `<QueryList><Query Id="0" Path="System"><Select Path="System">${events}</Select></Query></QueryList>`;
  return task({
    about: "Stops tillseal when Windows shuts down: the answers in flight are finished.",
    trigger: `<EventTrigger><Enabled>true</Enabled><Subscription>${xml(query)}</Subscription></EventTrigger>`,
    script,
  });
}

/** UTF-16 with a mark in front: schtasks reads letters of a path in another encoding wrongly. */
export function asFile(text) {
  return Buffer.from(`\ufeff${text.replaceAll("\n", "\r\n")}`, "utf16le");
}

/** Priority 7, the default, would mean little of the processor and of the disk. */
function task({ about, trigger, script }) {
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>${xml(about)}</Description></RegistrationInfo>
  <Triggers>${trigger}</Triggers>
  <Principals><Principal id="Author"><UserId>${ACCOUNT}</UserId><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <AllowHardTerminate>true</AllowHardTerminate>
    <StartWhenAvailable>true</StartWhenAvailable>
    <RunOnlyIfNetworkAvailable>false</RunOnlyIfNetworkAvailable>
    <AllowStartOnDemand>true</AllowStartOnDemand>
    <Enabled>true</Enabled>
    <Hidden>false</Hidden>
    <RunOnlyIfIdle>false</RunOnlyIfIdle>
    <WakeToRun>false</WakeToRun>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>4</Priority>
    <RestartOnFailure><Interval>PT1M</Interval><Count>255</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>%SystemRoot%\\System32\\cmd.exe</Command>
      <Arguments>${xml(`/d /s /c ""${script}""`)}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

function xml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
