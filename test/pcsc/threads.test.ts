/** A PC/SC call that does not return keeps its thread; the four threads of libuv, which sign and resolve names, stay free. */
import { generateKeyPairSync, sign } from "node:crypto";
import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { selectsSecureElement } from "../../src/secure-element/apdu/card-session.js";
import type { CardChannel } from "../../src/secure-element/card-reader.js";
import { PcscReader } from "../../src/secure-element/pcsc/pcsc-reader.js";
import { eventually, Pcscd } from "../support/pcsc.js";
import { cardInReader, testedBinding } from "../support/pcsc-card.js";

let pcscd: Pcscd;
beforeEach(async () => {
  pcscd = new Pcscd();
  await pcscd.start();
});
afterEach(() => pcscd.stop());

/** More than libuv has threads. */
const MANY = 6;

async function readers(count: number): Promise<PcscReader[]> {
  const options = { binding: testedBinding(), probe: selectsSecureElement, resetAtEnd: false, timeLimitMs: 2_000 };
  const all = Array.from({ length: count }, () => new PcscReader(options));
  await Promise.all(all.map((reader) => reader.start()));
  return all;
}

it("a card that hangs does not delay names, files and signatures, with several waits and more calls than libuv has threads", async () => {
  const { tampered, link } = await cardInReader();
  const all = await readers(MANY);
  await eventually(() => all.every((reader) => reader.slot === "card"), "each reader sees the card");
  onTestFinished(async () => {
    tampered.asItIs();
    await link.remove();
    await eventually(() => all.every((reader) => !reader.stuck), "no native call hangs");
    await Promise.all(all.map((reader) => reader.close()));
  });
  const channels: CardChannel[] = [];
  for (const reader of all) channels.push(await reader.connect());
  tampered.tamper = () => new Promise(() => {});
  const hung = await Promise.allSettled(channels.map((channel) => channel.transmit(Uint8Array.of(0, 0xa4, 4, 0))));
  expect(hung.map(({ status }) => status)).toEqual(Array(MANY).fill("rejected"));
  expect(all.every((reader) => reader.stuck)).toBe(true);

  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const signature = await promisify(sign)("sha256", Buffer.from("an invoice"), privateKey);
  expect(signature).toHaveLength(256);
  expect(await lookup("localhost")).toHaveProperty("address");
  expect(await readFile(fileURLToPath(import.meta.url), "utf8")).toContain("libuv");
});

it("a pcscd that hangs does not keep a reader from closing; the reader reports the unfinished call until it ends", async () => {
  await cardInReader();
  const [reader] = await readers(1);
  pcscd.pause();
  await reader?.close();
  expect(reader?.stuck).toBe(true);
  pcscd.resume();
  await eventually(() => reader?.stuck === false, "the wait has ended");
});
