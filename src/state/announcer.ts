/** Logs each finding, once when it begins and once when it is over. */
import type { Logger } from "pino";
import { readyUid } from "../secure-element/secure-element.js";
import type { ServiceState } from "./service-state.js";
import type { FindingKey } from "./texts/english.js";
import { inEnglish } from "./texts.js";

export class Announcer {
  private announced: ReadonlyMap<FindingKey, string> = new Map();

  constructor(private readonly log: Logger) {}

  readonly announce = ({ findings, state }: ServiceState): void => {
    const uid = readyUid(state);
    for (const finding of findings) {
      const { key, code, severity, values } = finding;
      if (this.announced.has(key)) continue;
      const { sentence, advice } = inEnglish(finding);
      // A finding that only waits for a person needs no warning: a till waits for its PIN every morning.
      this.log[severity === "waits" ? "info" : "warn"]({ finding: key, code, uid, ...values }, `${sentence} ${advice}`);
    }
    const applying = new Map(findings.map(({ key, code }) => [key, code]));
    for (const [key, code] of this.announced) {
      if (!applying.has(key)) this.log.info({ finding: key, code }, "this is over");
    }
    this.announced = applying;
  };
}
