/** Logs what will stop a sale, once when it begins and once when it is over. */
import type { Logger } from "pino";
import { describeCode, type FiscalCode } from "../fiscal/codes.js";
import { MAKER_CODES } from "./maker-codes.js";
import type { ServiceState } from "./service-state.js";

/** Status codes that warn; the others are states, or are logged elsewhere. */
const WARNINGS: ReadonlySet<FiscalCode> = new Set(["1100", "1400", "2210"]);
/** The watch of the clock has its own line, with the drift. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([MAKER_CODES.clockOff.code]);

export class Announcer {
  private said: ReadonlySet<string> = new Set();

  constructor(private readonly log: Logger) {}

  readonly announce = ({ codes, makerCodes, certificate, freeBytes, state }: ServiceState): void => {
    const holding = new Set<string>([
      ...codes.filter((code) => WARNINGS.has(code)),
      ...makerCodes.filter((code) => !SAID_ELSEWHERE.has(code)),
    ]);
    const facts = {
      uid: state.card === "ready" ? state.identity.uid : undefined,
      daysLeft: certificate?.daysLeft,
      freeBytes,
    };
    for (const code of holding) if (!this.said.has(code)) this.log.warn({ code, ...facts }, meaningOf(code));
    for (const code of this.said) if (!holding.has(code)) this.log.info({ code }, "this warning is over");
    this.said = holding;
  };
}

function meaningOf(code: string): string {
  const own = Object.values(MAKER_CODES).find((maker) => maker.code === code);
  return own?.meaning ?? describeCode(code as FiscalCode).meaning;
}
