import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import { checkSecrets } from "../../src/doctor/authority.js";
import { checkDataFolder } from "../../src/doctor/machine.js";
import { othersLetIn, savedDescriptor, shutOut } from "../../src/doctor/windows-rights.js";
import { lineText } from "../../src/state/texts.js";
import { temporaryFolder } from "../support/folder.js";

/** What the setup creates: the system, administrators and the service's account. */
const CLOSED = "D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;LS)";
/** What Windows gives a new folder below ProgramData. */
const AS_MADE =
  "D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIIOID;GA;;;CO)(A;OICIID;0x1200a9;;;BU)(A;CIID;DCLCRPCR;;;BU)";

const names = (sddl: string) => othersLetIn(sddl).map(({ name }) => name);

it.each([
  ["as ProgramData gives them", AS_MADE, ["Users"]],
  ["with SIDs instead of short forms", "D:(A;;FA;;;S-1-1-0)(A;;FR;;;S-1-5-32-545)", ["Everyone", "Users"]],
  ["without any list", "D:NO_ACCESS_CONTROL", ["Everyone"]],
  ["with a condition", "(XA;;FX;;;WD;(@User.Project Any_of 1))", ["Everyone"]],
])("the rights of a folder on Windows let others in %s", (_what, sddl, expected) => {
  expect(names(sddl)).toEqual(expected);
});

it("the rights of a folder on Windows count entries that allow, and ignore those that deny", () => {
  expect(names("D:(D;;FA;;;WD)(A;;FA;;;BA)")).toEqual([]);
});

it("the rights of a folder on Windows are parsed from the output of icacls, in UTF-16 with a byte order mark", () => {
  const saved = Buffer.from(`\ufefftillseal\r\n${AS_MADE}\r\n`, "utf16le");
  expect(savedDescriptor(saved)).toBe(AS_MADE);
  expect(savedDescriptor(Buffer.alloc(0))).toBeUndefined();
});

it("the rights of a folder on Windows are repaired by a command without translated group names, quoted for both cmd and PowerShell", () => {
  expect(shutOut("C:\\ProgramData\\tillseal", othersLetIn(AS_MADE))).toBe(
    'icacls "C:\\ProgramData\\tillseal" /inheritance:d /remove:g "*S-1-5-32-545"',
  );
});

const examineFolder = (sddl: string | undefined) => checkDataFolder(temporaryFolder(), "win32", async () => sddl);

it("the doctor on Windows warns about a data folder that others may read, with the command that fixes it", async () => {
  expect(await examineFolder(CLOSED)).toMatchObject({ verdict: "ok" });
  expect(await examineFolder(AS_MADE)).toMatchObject({
    verdict: "warn",
    message: expect.stringMatching(/is open to Users; .*administrator.*: icacls/),
  });
});

it("the doctor on Windows says so in the reader's language", async () => {
  for (const [sddl, message] of [
    [AS_MADE, /je dostupna za Users; .*administrator: icacls/],
    [CLOSED, /drugi je ne mogu čitati$/],
    [undefined, /icacls nije rekao ko je još može čitati$/],
  ] as const) {
    const { line } = await examineFolder(sddl);
    expect(line && lineText("sr-Latn", line)).toMatch(message);
  }
});

it("the doctor on Windows warns about a key for the authority that others may read", async () => {
  const settings = { ...loadConfig({}).settings, authorityCertificate: "C:\\shop.pfx" };
  const examineSecrets = (sddl: string) => checkSecrets({ settings }, "win32", async () => sddl);
  expect(await examineSecrets(CLOSED)).toEqual([]);
  expect(await examineSecrets(AS_MADE)).toMatchObject([
    { verdict: "warn", message: expect.stringMatching(/^C:\\shop\.pfx is open to Users; .*icacls "C:\\shop\.pfx"/) },
  ]);
});
