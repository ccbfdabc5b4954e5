/** A complete service with a card that it reaches through pcscd. */
import { expect, onTestFinished } from "vitest";
import type { PcscReaderOptions } from "../../src/secure-element/pcsc/pcsc-reader.js";
import { eventually } from "./pcsc.js";
import { cardInReader, type InsertedCard } from "./pcsc-card.js";
import { type AskedSale, isNamed, silentRefusals } from "./silent-refusals.js";
import { openTill, type Till } from "./till.js";

export interface PcscTill extends Till, Pick<InsertedCard, "tampered" | "link" | "remove" | "insert"> {
  /** The card's code in `gsc` of status. */
  cardCode(): Promise<string | undefined>;
  cardIs(code: string): Promise<void>;
}

export async function openPcscTill(
  options: Partial<PcscReaderOptions> & {
    readonly pinVerified?: boolean;
    /** Runs when the card is in the reader and the service has not read it yet. */
    readonly beforeStart?: () => Promise<void>;
  } = {},
): Promise<PcscTill> {
  const { pinVerified = true, beforeStart, ...driverOptions } = options;
  const { card, reader, tampered, link, remove, insert } = await cardInReader({}, driverOptions);
  await beforeStart?.();
  const till = await openTill({ card, driver: reader, pinVerified: false });
  // Pulling out a hanging card releases it; a native call must not outlive its test.
  onTestFinished(async () => {
    await till.stop();
    await link.remove();
    await eventually(() => !reader.stuck, "no native call hangs");
  });
  const cardCode = async () => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc[0];
  const cardIs = (code: string) => eventually(async () => (await cardCode()) === code, `the card's code is ${code}`);
  if (pinVerified) {
    await cardIs("1500");
    await till.pin();
  }
  const asked: AskedSale[] = [];
  const sell: Till["sell"] = async (...sale) => {
    const answer = await till.sell(...sale);
    const { code } = answer.json<{ code?: string }>();
    const ready = isNamed(code, answer.status) && (await till.call("GET", "/ready")).status === 200;
    asked.push({ code, ready });
    return answer;
  };
  onTestFinished(() => expect(silentRefusals(asked)).toEqual([]));
  return { ...till, sell, tampered, link, remove, insert, cardCode, cardIs };
}
