/** Scheduled tasks as XML (Microsoft, "Task Scheduler Schema"), for `schtasks /create /xml`. */

/** NT AUTHORITY\LOCAL SERVICE: it has few rights and no password, and the SID is the same in every language of Windows. */
export const ACCOUNT = "S-1-5-19";

/** The task of the service. Windows starts it before a user logs in. It has no time limit, runs on batteries, and has normal priority. */
export function serviceTask(script) {
  return task({
    about: "tillseal, the fiscal service of this till. It starts with Windows. Docs: docs/shop.md of tillseal.",
    trigger: "<BootTrigger><Enabled>true</Enabled></BootTrigger>",
    script,
  });
}

/** Stops the service when Windows writes event 1074, the start of a shutdown or restart, so that it finishes its answers. */
export function shutdownTask(script) {
  const events = "*[System[Provider[@Name='User32'] and EventID=1074]]";
  const query = `<QueryList><Query Id="0" Path="System"><Select Path="System">${events}</Select></Query></QueryList>`;
  return task({
    about: "Stops tillseal when Windows shuts down: the answers in flight are finished.",
    trigger: `<EventTrigger><Enabled>true</Enabled><Subscription>${xml(query)}</Subscription></EventTrigger>`,
    script,
  });
}

/** UTF-16 with a byte order mark, because schtasks misreads letters in paths in other encodings. */
export function asFile(text) {
  return Buffer.from(`\ufeff${text.replaceAll("\n", "\r\n")}`, "utf16le");
}

/** Sets the priority, because the default (7) gives a task little processor and disk time. */
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
