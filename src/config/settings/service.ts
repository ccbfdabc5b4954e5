/** Settings for the service's address, its card and its data. */
import { HAS_EMULATOR } from "../../base/package-root.js";
import { PCSC_MODULES } from "../../secure-element/pcsc/binding.js";
import { type SettingRows, TEXT } from "./row.js";

/** The kinds of card. The package for shops has real cards only. */
const CARDS: readonly ("emulator" | "pcsc")[] = HAS_EMULATOR ? ["emulator", "pcsc"] : ["pcsc"];

export const SERVICE_SETTINGS = {
  port: {
    schema: { type: "integer", minimum: 0, maximum: 65_535 },
    default: 8431,
    description: "TCP port of the service; 0 picks a free one",
    console: "listen",
  },
  host: {
    schema: TEXT,
    default: "localhost",
    description:
      "address to listen on: `localhost`, `127.0.0.1` and `::1` are both of 127.0.0.1 and ::1, `0.0.0.0` is every IPv4 address of this machine and ::1, `::` every address",
    console: "listen",
  },
  card: {
    schema: { type: "string", enum: CARDS },
    default: CARDS[0],
    description: HAS_EMULATOR
      ? "`emulator` for the emulated card, `pcsc` for a real one through PC/SC; the package for shops has only `pcsc`"
      : "`pcsc`: the card is in a PC/SC reader",
  },
  reader: {
    schema: TEXT,
    description: "name of the PC/SC reader or a part of it. Default: the first reader with a fiscal card",
  },
  pcscModule: {
    schema: { type: "string", enum: PCSC_MODULES },
    default: PCSC_MODULES[0],
    description: HAS_EMULATOR
      ? "module that calls PC/SC: `koffi`, or `pcsclite` if you have installed it beside tillseal with npm, which compiles it"
      : "module that calls PC/SC",
    // A recording of a card names this setting, and a scenario may set only "behaviour".
    scope: "behaviour",
  },
  dataDir: {
    schema: TEXT,
    description: HAS_EMULATOR
      ? "folder for the store and the emulated card's state. Default: ~/.tillseal with a real card, on Windows %ProgramData%/tillseal; none with the emulator, which then forgets everything when it ends"
      : "folder for the store. Default: ~/.tillseal, on Windows %ProgramData%/tillseal",
  },
  environment: {
    schema: TEXT,
    description: HAS_EMULATOR
      ? "file with environment parameters and tax rates, or the name of one in fixtures/environments, or `none`. Default: `specification` with the emulator, `none` with a real card"
      : "file with environment parameters and tax rates, or `none`. Default: `none`",
  },
  technician: {
    schema: TEXT,
    description: "name and telephone number of the person to call; the console shows it where something is wrong",
    scope: "behaviour",
    console: "contact",
  },
} as const satisfies SettingRows;
