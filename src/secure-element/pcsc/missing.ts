/** Explains why there is no usable card: what is missing and how to get it. */
import type { CardReason } from "../card-reason.js";
import type { PcscModule } from "./binding.js";

export type Missing = "no-module" | "no-library" | "no-service" | "no-reader" | "no-card";

/** The reader that the settings ask for. */
export interface Wanted {
  readonly module: PcscModule;
  /** Name of the reader or a part of its name; undefined if any reader is right. */
  readonly reader: string | undefined;
}

const NO_LIBRARY = "the PC/SC library of this system cannot be loaded";
const NO_SERVICE = "the PC/SC service is not running";
/** A note on the readers of this session. Windows gives a Remote Desktop session those of the remote machine. */
export const sessionNote = (session = process.env.SESSIONNAME): string =>
  session?.startsWith("RDP-")
    ? "this Remote Desktop session shows the readers of the machine in front of you, not the till's; run the command at the till"
    : "";
const PLUG_IN = "plug one in; `tillseal card list` shows the readers";

/** Returns the reason as a code for the console, and as a text. */
export function explainMissing(missing: Missing, wanted: Wanted, platform: NodeJS.Platform = process.platform) {
  const { reader } = wanted;
  const [code, plain] = codeAndText(missing, wanted, platform);
  const note = /^no-(module|library)$/.test(missing) ? "" : sessionNote();
  const text = note ? `${note}; ${plain}` : plain;
  const why: CardReason = code.endsWith("Named") && reader !== undefined ? { code, values: { reader } } : { code };
  return { why, text };
}

function codeAndText(
  missing: Missing,
  { module, reader }: Wanted,
  platform: NodeJS.Platform,
): [CardReason["code"], string] {
  switch (missing) {
    case "no-module":
      if (module === "koffi")
        return ["noModule", "the module koffi is not installed; run `npm ci` in the folder of tillseal"];
      return [
        "noModulePcsclite",
        "the module pcsclite is not installed; run `npm install pcsclite` beside tillseal, or remove the setting `pcscModule`; tillseal then uses koffi",
      ];
    case "no-library":
      if (platform !== "linux") return ["noLibrary", NO_LIBRARY];
      return ["noLibraryLinux", `${NO_LIBRARY}: libpcsclite.so.1 is not installed; on Debian: apt-get install pcscd`];
    case "no-service":
      if (platform === "win32")
        return ["noServiceWindows", `${NO_SERVICE}; start the service \`Smart Card\` (SCardSvr)`];
      if (platform !== "linux") return ["noService", `${NO_SERVICE}; start it`];
      return ["noServiceLinux", `${NO_SERVICE}; on Debian: apt-get install pcscd; systemctl start pcscd`];
    case "no-reader":
      if (reader === undefined) return ["noReader", `there is no card reader; ${PLUG_IN}`];
      return ["noReaderNamed", `there is no card reader whose name contains "${reader}"; ${PLUG_IN}`];
    case "no-card":
      if (reader === undefined) return ["noCard", "there is no card in the card reader; insert it, chip first"];
      return ["noCardNamed", `there is no card in the reader "${reader}"; insert it, chip first`];
  }
}
