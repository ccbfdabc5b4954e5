/** A program that floods a shop's service with wrong PINs does not lock the card behind pcscd. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { serveProcess } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { eventually, Pcscd } from "../support/pcsc.js";

const pcscd = new Pcscd();
beforeAll(() => pcscd.start());
afterAll(() => pcscd.stop());

it("the service spends one attempt on a PIN that comes a hundred times, and a hundred other PINs do not lock the card", async () => {
  const card = makeCard();
  const link = new VpcdLink(card);
  await link.insert();
  onTestFinished(() => link.remove());
  const environment = join(PACKAGE_ROOT, "fixtures", "environments", "specification.yaml");
  const { url } = await serveProcess(["--card", "pcsc", "--data-dir", temporaryFolder(), "--environment", environment]);
  const triesLeft = () => card.memory.load().pinTriesLeft;
  const post = async (pin: string) => {
    const answer = await fetch(`${url}/api/v3/pin`, { method: "POST", body: pin });
    return { code: await answer.text(), retryAfter: answer.headers.get("retry-after") };
  };
  const status = async () => (await (await fetch(`${url}/api/v3/status`)).json()) as { gsc: string[] };
  await eventually(async () => (await status()).gsc.includes("1500"), "the service knows the card");

  const same = await Promise.all(Array.from({ length: 100 }, () => post("0000")));
  expect([new Set(same.map(({ code }) => code)), triesLeft()]).toEqual([new Set(["2100"]), 4]);

  const others = await Promise.all(Array.from({ length: 100 }, (_, i) => post(String(9000 + i))));
  const sent = others.filter(({ code }) => code === "2100");
  // One at once, and a second one only when the flood lasted longer than the wait.
  expect(triesLeft()).toBe(4 - sent.length);
  expect(sent.length).toBeLessThan(3);
  for (const { code, retryAfter } of others)
    if (code !== "2100") expect([code, Number(retryAfter) > 0]).toEqual(["2220", true]);

  expect([(await post("1234")).code, triesLeft()]).toEqual(["0100", 5]);
});
