/** A field of a card profile without effect would test nothing. Each value must change what a caller of the card notices. */
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROFILE_SCHEMA } from "../../emulator/card/profile.js";
import { makeCard, readerWith } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { openTill, sale } from "../support/till.js";

const NOW = Date.parse("2026-03-01T10:00:00Z");
const PROPERTIES = PROFILE_SCHEMA.properties;

function keyFile(): string {
  const file = join(temporaryFolder(), "card.pem");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
  return file;
}

/** What tillseal notices when it sells. */
const IN_SALES = {
  uid: ["OTHERONE"],
  pin: ["4321"],
  pinTries: [6],
  pinTriesLeft: [3],
  taxpayer: [{ businessName: "Another" }],
  taxAuthorityApi: ["https://other.test"],
  validFrom: ["2026-02-01T00:00:00Z"],
  validTo: ["2026-02-01T00:00:00Z"],
  appletVersion: ["3.1.0", "3.2.5"],
  sum: ["1"],
  limit: ["100"],
  counters: [{ total: 7 }],
  disabled: [true],
  lastSignedInvoice: [false],
  pinTriesLeftCommand: [false],
  pinAnswers: PROPERTIES.pinAnswers.enum.slice(1),
  internalDataBytes: PROPERTIES.internalDataBytes.enum.slice(1),
  longAnswers: PROPERTIES.longAnswers.enum.slice(1),
  addsToSum: [["Advance"]],
};

/** What only other programs notice: the card's second applet, and forms that tillseal does not send. */
const BY_OTHERS = {
  pkiPin: ["4321"],
  pkiPinTries: [4],
  pkiAids: [["A000000397425446590009"]],
  zeroP1P2: [false],
  eightByteAmounts: [true],
};

type Values = Readonly<Record<string, readonly unknown[]>>;
const rows = (values: Values) =>
  Object.entries(values).flatMap(([field, all]) => all.map((value) => ({ [field]: value })));

/** Sells after a wrong PIN and a right one. @returns each command with its answer, and what the POS got */
async function inSales(profile: Record<string, unknown>): Promise<unknown> {
  const exchanges = new Set<string>();
  const reader = readerWith(async (command, run) => {
    const answer = await run();
    exchanges.add(`${Buffer.from(command).toString("hex")} ${Buffer.from(answer).toString("hex")}`);
    return answer;
  });
  const card = makeCard(profile);
  reader.insert(card);
  const till = await openTill({ card, reader, now: () => NOW, pinVerified: false });
  const pins = [await till.pin("9999"), await till.pin("1234")];
  const sales = [await till.sell(sale()), await till.sell(sale())];
  await till.stop();
  return { exchanges: [...exchanges].toSorted(), answers: [...pins, ...sales].map(({ text }) => text) };
}

const PKI = "A000000397425446590201";
const SELECT_TAX = "00A4040010A000000748464A492D546178436F7265";

/** A sale in the form of 2017, with amounts of 8 bytes. */
const SALE_OF_2017 =
  "0000017CC744EAB500000000000000000000003130313634373436340000000000000000000000000000000000000000000000000000000F4240010100000000000F4240";

/** Says to the card what tillseal does not say. */
async function byOthers(profile: Record<string, unknown>): Promise<unknown> {
  const card = makeCard(profile);
  const commands = [`00A404000B${PKI}`, "002000800431323334", "002000800430303030", SELECT_TAX, "8809000000"];
  const signs = ["881104000401020304", `8813040044${SALE_OF_2017}00`];
  const answers: string[] = [];
  for (const command of [...commands, ...signs]) {
    answers.push(Buffer.from(await card.transmit(Buffer.from(command, "hex"))).toString("hex"));
  }
  return answers;
}

it("every field of a card profile is tried", () => {
  expect(Object.keys({ ...IN_SALES, ...BY_OTHERS, key: [] }).toSorted()).toEqual(Object.keys(PROPERTIES).toSorted());
});

it.each(rows(IN_SALES))("a card with %j changes what the service meets in a sale", async (profile) => {
  expect(await inSales(profile)).not.toEqual(await inSales({}));
});

it("a card with another key signs otherwise", async () => {
  expect(await inSales({ key: keyFile() })).not.toEqual(await inSales({}));
});

it.each(rows(BY_OTHERS))("a card with %j answers other programs otherwise", async (profile) => {
  expect(await byOthers(profile)).not.toEqual(await byOthers({}));
});

it("the same card profile changes nothing", async () => {
  expect(await inSales({})).toEqual(await inSales({}));
  expect(await byOthers({})).toEqual(await byOthers({}));
});
