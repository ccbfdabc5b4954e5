/** Explains why there is no usable card: what is missing and how to get it. */
import type { CardReason } from "../card-reason.js";
import type { PcscModule } from "./binding.js";
import type { ReaderStatus, WatchState } from "./reader-watch.js";

export type Missing = "no-module" | "no-library" | "no-service" | "no-reader" | "no-card";

const SERVICE_HELP: Partial<Record<NodeJS.Platform, string>> = {
  win32: "start the service `Smart Card` (SCardSvr)",
  linux: "on Debian: apt-get install pcscd; systemctl start pcscd",
};

const MODULE_HELP: Record<PcscModule, string> = {
  koffi: "run `npm ci` in the folder of tillseal",
  pcsclite: "run `npm install pcsclite` beside tillseal, or remove the setting `pcscModule`; tillseal then uses koffi",
};

const LIBRARY_HELP: Partial<Record<NodeJS.Platform, string>> = {
  linux: "libpcsclite.so.1 is not installed; on Debian: apt-get install pcscd",
};

/** The reader that the settings ask for. */
export interface Wanted {
  readonly module: PcscModule;
  /** Name of the reader or a part of its name; undefined if any reader is right. */
  readonly reader: string | undefined;
}

export function explainMissing(
  missing: Missing,
  { module, reader: wanted }: Wanted,
  platform: NodeJS.Platform = process.platform,
): string {
  const reader = wanted === undefined ? "card reader" : `card reader whose name contains "${wanted}"`;
  switch (missing) {
    case "no-module":
      return `the module ${module} is not installed; ${MODULE_HELP[module]}`;
    case "no-library":
      return `the PC/SC library of this system cannot be loaded${platform in LIBRARY_HELP ? `: ${LIBRARY_HELP[platform]}` : ""}`;
    case "no-service":
      return `the PC/SC service is not running; ${SERVICE_HELP[platform] ?? "start it"}`;
    case "no-reader":
      return `there is no ${reader}; plug one in; \`tillseal card list\` shows the readers`;
    case "no-card":
      return `there is no card in the ${wanted === undefined ? "card reader" : `reader "${wanted}"`}; insert it, chip first`;
  }
}

/** Returns the reason that {@link explainMissing} explains, as a code. */
export function missingReason(
  missing: Missing,
  { module, reader: wanted }: Wanted,
  platform: NodeJS.Platform = process.platform,
): CardReason {
  const system = platform === "win32" ? "Windows" : platform === "linux" ? "Linux" : "";
  const named = wanted === undefined ? {} : { values: { reader: wanted } };
  switch (missing) {
    case "no-module":
      return { code: module === "pcsclite" ? "noModulePcsclite" : "noModule" };
    case "no-library":
      return { code: platform === "linux" ? "noLibraryLinux" : "noLibrary" };
    case "no-service":
      return { code: `noService${system}` };
    case "no-reader":
      return { code: wanted === undefined ? "noReader" : "noReaderNamed", ...named };
    case "no-card":
      return { code: wanted === undefined ? "noCard" : "noCardNamed", ...named };
  }
}

/** Returns what is missing; undefined if a card is in a reader. @param readers the readers that may be used */
export function missingPart(state: WatchState, readers: readonly ReaderStatus[]): Missing | undefined {
  if (state === "no-module" || state === "no-library" || state === "no-service") return state;
  if (readers.length === 0) return "no-reader";
  return readers.some(({ hasCard }) => hasCard) ? undefined : "no-card";
}
