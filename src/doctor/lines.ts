/**
 * Makes the lines that `tillseal doctor` and the console's page Doctor share. The command and the page collect the
 * facts differently.
 */

import { versionText } from "../base/build.js";
import type { EpochMs } from "../base/epoch-ms.js";
import { toDecimalText } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import type { Facts } from "../state/facts.js";
import { certificateState, mebibytes } from "../state/rules.js";
import { type Check, line } from "./check.js";

export const programLine = (): Check =>
  line("program", "ok", "program", { version: versionText(), node: process.versions.node });

export function cardLine({ uid, taxpayer, appletVersion: applet }: CardIdentity): Check {
  return line("card", "ok", "card", { uid, shop: taxpayer.businessName, tin: taxpayer.tin, applet });
}

export function certificateLine(identity: CardIdentity, now: EpochMs): Check {
  const [from, to] = [identity.validFrom, identity.validTo].map((time) => toIso(time).slice(0, 10)) as [string, string];
  const isEarly = certificateState(identity, now).state === "not-yet";
  return line("certificate", "ok", isEarly ? "notYetValid" : "valid", { from, to, now: toIso(now) });
}

/** The line about the card's limit. @param amount sum and limit, scaled by 10,000 */
export function amountLine({ sum, limit }: { readonly sum: bigint; readonly limit: bigint }): Check {
  return line("limit", "ok", "amounts", { sum: toDecimalText(sum), limit: toDecimalText(limit) });
}

/** The line about free space. @param free bytes */
export function diskLine(free: number, folder: string): Check {
  return line("disk", "ok", "freeSpace", { megabytes: mebibytes(free), folder });
}

export function clockLine({ server, ahead = 0, off, problem }: NonNullable<Facts["clockCheck"]>): Check {
  if (problem !== undefined) return line("clock", "warn", "clockUnknown", { server, reason: problem });
  return line("clock", "ok", off ? "clockDiffers" : "clockAgrees", {
    seconds: Math.round(Math.abs(ahead) / 1000),
    server,
  });
}
