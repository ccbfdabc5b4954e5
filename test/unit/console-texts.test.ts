/** Texts of the console: times in the shop's zone, Serbian in Latin script, and a name for everything in every language. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, it } from "vitest";
import { FAULT_KINDS, type FaultKind } from "../../emulator/faults/fault.js";
import { FAULT_TEXTS } from "../../harness/console/texts/faults.js";
import { ENGLISH as EMULATOR_ENGLISH, SERBIAN as EMULATOR_SERBIAN } from "../../harness/console/texts/pages.js";
import { EYES } from "../../harness/rehearse/eyes.js";
import { RULES } from "../../harness/rehearse/rules.js";
import { TEXT_IDS, textsOf } from "../../harness/rehearse/texts.js";
import REHEARSAL_TEXTS from "../../harness/rehearse/texts.json" with { type: "json" };
import { shippedGivens } from "../../harness/scenario/shipped.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { CONSOLE_SETTINGS } from "../../src/config/settings.js";
import { CARD_REASON_TEXTS } from "../../src/console/web/texts/card-reasons.js";
import { ENGLISH } from "../../src/console/web/texts/english.js";
import OWN_CODES from "../../src/console/web/texts/own-codes.json" with { type: "json" };
import { SERBIAN } from "../../src/console/web/texts/serbian.js";
import SETTING_TEXTS from "../../src/console/web/texts/settings.json" with { type: "json" };
import { KINDS } from "../../src/fiscal/counters.js";
import { PAYMENT_TYPES, type PaymentType } from "../../src/fiscal/invoice.js";
import { onPaper } from "../../src/fiscal/journal/on-paper.js";
import { journalTexts } from "../../src/fiscal/journal/texts.js";
import { toLatin } from "../../src/fiscal/latin.js";
import { momentOf } from "../../src/fiscal/zoned.js";
import { CARD_REASONS, type CardReason } from "../../src/secure-element/card-reason.js";
import { ownCodes } from "../../src/state/status-codes.js";
import { ENGLISH_LINES } from "../../src/state/texts/lines-english.js";
import { SERBIAN_LINES } from "../../src/state/texts/lines-serbian.js";
import { SERBIAN as SERBIAN_FINDINGS } from "../../src/state/texts/serbian.js";

it.each([
  ["2026-11-21T10:00", "Europe/Belgrade", "2026-11-21T09:00:00.000Z"],
  ["2026-07-01T00:00", "Europe/Belgrade", "2026-06-30T22:00:00.000Z"],
  ["2026-03-29T03:00", "Europe/Belgrade", "2026-03-29T01:00:00.000Z"],
  ["2026-11-21T10:00:30", "America/New_York", "2026-11-21T15:00:30.000Z"],
  ["2026-11-21T10:00", "Asia/Kathmandu", "2026-11-21T04:15:00.000Z"],
  ["2026-11-21T10:00", "UTC", "2026-11-21T10:00:00.000Z"],
])("a typed time %s in %s is %s", (local, zone, moment) => {
  expect(momentOf(local, zone).toISOString()).toBe(moment);
});

it("a typed time is displayed as it was typed, except in the hour that a clock change skips", () => {
  const zones = fc.constantFrom("Europe/Belgrade", "America/New_York", "Pacific/Auckland", "Asia/Kathmandu");
  const minutes = fc.integer({ min: Date.UTC(2020) / 60_000, max: Date.UTC(2030) / 60_000 });
  fc.assert(
    fc.property(zones, minutes, (timeZone, minute) => {
      const local = new Date(minute * 60_000).toISOString().slice(0, 16);
      const shown = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
      const again = shown.format(momentOf(local, timeZone)).replace(" ", "T");
      const gap = Math.abs(Date.parse(`${again}Z`) - Date.parse(`${local}Z`));
      expect(gap === 0 || gap === 3_600_000).toBe(true);
      // The gap exists only around a clock change.
      if (gap !== 0) {
        const offset = (at: Date) => Date.parse(`${shown.format(at).replace(" ", "T")}Z`) - at.getTime();
        const moment = momentOf(local, timeZone).getTime();
        expect(offset(new Date(moment - 7_200_000))).not.toBe(offset(new Date(moment + 7_200_000)));
      }
    }),
    { numRuns: 300 },
  );
});

it.each([
  ["Његова љубав и џем", "Njegova ljubav i džem"],
  ["ЂОРЂЕ ЋИРА Жика Шаран", "ĐORĐE ĆIRA Žika Šaran"],
  ["QR код: {lost} --host", "QR kod: {lost} --host"],
  ["НАЧИНИ ПЛАЋАЊА, ЏЕП, Љ 1", "NAČINI PLAĆANJA, DŽEP, Lj 1"],
])("Serbian in Latin script %s is %s", (cyrillic, latin) => {
  expect(toLatin(cyrillic)).toBe(latin);
});

async function textsIn(folder: string): Promise<readonly object[]> {
  const files = readdirSync(join(PACKAGE_ROOT, folder));
  const modules = await Promise.all(
    files.map(
      (file) => import(pathToFileURL(join(PACKAGE_ROOT, folder, file)).href) as Promise<Record<string, object>>,
    ),
  );
  return modules.flatMap((module) => Object.values(module));
}

it.each([
  ["english", ENGLISH],
  ["serbian", SERBIAN],
])("the texts of the pages in %s have each name in one file, and are in the catalogue", async (language, texts) => {
  const names = (await textsIn(`src/console/web/texts/${language}`)).flatMap((part) => Object.keys(part));
  expect(Object.keys(texts).toSorted()).toEqual(names.toSorted());
});

it.each([
  ["the console", ENGLISH, SERBIAN],
  ["the emulator's pages", EMULATOR_ENGLISH, EMULATOR_SERBIAN],
  ["the doctor's lines", ENGLISH_LINES, SERBIAN_LINES],
] as const)("the texts of the pages of %s take the same values in each language", (_name, english, serbian) => {
  expect(Object.keys(serbian)).toEqual(Object.keys(english));
  for (const [key, text] of Object.entries<string>(serbian)) {
    expect([key, placesIn(text)]).toEqual([key, placesIn(english[key as keyof typeof english])]);
  }
});

it("the texts of the pages of the emulator's pages hide none of the console's", () => {
  expect(Object.keys(EMULATOR_ENGLISH).filter((key) => key in ENGLISH)).toEqual([]);
});

it("a setting of the console has a name in every language, and there are no unused names", () => {
  expect(Object.keys(SETTING_TEXTS).toSorted()).toEqual(CONSOLE_SETTINGS.toSorted());
});

it("an own code has a name in every language, which no other code has, and there are no unused names", () => {
  expect(Object.keys(OWN_CODES).toSorted()).toEqual(ownCodes().map(({ code }) => code));
  for (const language of ["english", "serbian"] as const) {
    const names = Object.values(OWN_CODES).map((name) => name[language]);
    expect(names).toEqual([...new Set(names)]);
  }
});

it("a reason why there is no usable card has a text in every language, and there are no unused texts", () => {
  expect(Object.keys(CARD_REASON_TEXTS).toSorted()).toEqual(CARD_REASONS.toSorted());
});

it.each(CARD_REASONS)("a reason why there is no usable card %s shows the same values in each language", (code) => {
  expect(placesIn(CARD_REASON_TEXTS[code].serbian)).toEqual(placesIn(CARD_REASON_TEXTS[code].english));
});

it("a reason why there is no usable card is shown in the chosen language", async () => {
  // The browser's part has a configuration of the compiler for itself.
  const { speechIn } = (await import(pathToFileURL(join(PACKAGE_ROOT, "src/console/web/texts.ts")).href)) as {
    speechIn: (language: string, timeZone: null) => { cardReason: (why: CardReason) => string };
  };
  const why = { code: "unknownApplet", values: { version: "9.9.9" } } as const;
  const texts = ["en", "sr-Cyrl", "sr-Latn"].map((language) => speechIn(language, null).cardReason(why));
  expect(texts).toEqual([
    "The service does not know version 9.9.9 of the card's applet.",
    "Сервис не познаје верзију 9.9.9 аплета на картици.",
    "Servis ne poznaje verziju 9.9.9 apleta na kartici.",
  ]);
});

it("a kind of fault has a text in Serbian, and there are no unused texts", () => {
  expect(Object.keys(FAULT_TEXTS).toSorted()).toEqual(Object.keys(FAULT_KINDS).toSorted());
});

it.each(Object.keys(FAULT_KINDS) as FaultKind[])("a kind of fault %s names its fields in each language", (kind) => {
  const { meaning } = FAULT_KINDS[kind];
  const names = [...meaning.matchAll(/`(\w+)`|(Content-Length)/g)].map(([, field, header]) => field ?? header);
  for (const name of names) expect(FAULT_TEXTS[kind].meaning).toContain(name);
});

it("a situation that comes with the emulator has its texts in Serbian", () => {
  const wanting = shippedGivens().filter(({ todo, serbian }) => {
    const { name = "", about = "", todo: act = "" } = serbian ?? {};
    return (todo === undefined ? [name] : [name, about, act]).some((text) => !/[а-ш]/.test(text));
  });
  expect(wanting.map(({ name }) => name)).toEqual([]);
});

it("the list of a rehearsal has a text in Serbian for each row, and there are no unused texts", () => {
  expect(TEXT_IDS.toSorted()).toEqual([...RULES, ...EYES].map(({ id }) => id).toSorted());
  for (const { id } of RULES) expect(Object.values(textsOf(id, "serbian"))).not.toContain("");
  for (const { id } of EYES) expect(textsOf(id, "serbian").text).not.toBe("");
});

it.each([
  [/PIN/, "ПИН"],
  [/USB мемориј|меморијски стик/i, "стик"],
  [/(?<!\p{L})границ/iu, "лимит"],
  [/доказ\p{L}* очитавања|потврд\p{L}* очитавањ/iu, "доказ о очитавању"],
])("Serbian texts and manuals do not have %s, because they call it %s", (other) => {
  const catalogues = [
    SERBIAN,
    OWN_CODES,
    EMULATOR_SERBIAN,
    SERBIAN_LINES,
    SERBIAN_FINDINGS,
    SETTING_TEXTS,
    REHEARSAL_TEXTS,
    shippedGivens().flatMap(({ serbian }) => Object.values(serbian ?? {})),
  ];
  const manuals = ["user", "installation"].map((name) =>
    readFileSync(join(PACKAGE_ROOT, "docs", "manuals", `${name}.sr.md`), "utf8").split("\n"),
  );
  const texts = stringsIn([catalogues, manuals]).filter((text) => /\p{Script=Cyrillic}/u.test(text));
  expect(texts.length).toBeGreaterThan(900);
  expect(texts.filter((text) => other.test(text))).toEqual([]);
});

function stringsIn(value: unknown): string[] {
  return typeof value === "string" ? [value] : Object.values(value as object).flatMap(stringsIn);
}

function placesIn(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).toSorted();
}

const printed = journalTexts("sr-Cyrl-RS", { isNarrow: false });

it.each(KINDS)(
  "Serbian texts name $invoiceType $transactionType as receipts do",
  ({ invoiceType, transactionType }) => {
    const onReceipt = `${printed.invoiceType[invoiceType]} ${printed.transactionType[transactionType]}`;
    expect(SERBIAN[`kind${invoiceType}${transactionType}`].toUpperCase()).toBe(onReceipt);
  },
);

it.each(Object.keys(PAYMENT_TYPES) as PaymentType[])("Serbian texts name the payment %s as receipts do", (type) => {
  expect(`${SERBIAN[`pay${type}`]}:`).toBe(printed.payment[type]);
});

it("a receipt on paper keeps lines of 40 columns, and wraps wider ones", () => {
  const line = "Ж             VAT   19,00%  1.000.000,00";
  const padded = "Tea (A)".padEnd(40);
  const name = "ДРУШТВО ЗА ПРОИЗВОДЊУ, ПРОМЕТ И УСЛУГЕ ПЕКАРА ДОО БЕОГРАД";
  expect(
    onPaper([
      line,
      padded,
      "",
      name,
      `${"Ш".repeat(38)}     `,
      "x".repeat(85),
      "a\tb",
      "Друго безготовинско плаћање: 999.999.999.999,99",
      "999.999.999.999,99 1,235 -999.999.999.999,99",
    ]),
  ).toEqual([
    line,
    padded,
    "",
    "ДРУШТВО ЗА ПРОИЗВОДЊУ, ПРОМЕТ И УСЛУГЕ",
    "ПЕКАРА ДОО БЕОГРАД",
    `${"Ш".repeat(38)}  `,
    "x".repeat(40),
    "x".repeat(40),
    "xxxxx",
    "a b",
    "Друго безготовинско плаћање:",
    "999.999.999.999,99".padStart(40),
    "999.999.999.999,99 1,235",
    "-999.999.999.999,99".padStart(40),
  ]);
});

it("a receipt on paper loses nothing but spaces", () => {
  const text = fc.string({ unit: fc.constantFrom(..."aЖ😀 -,.9\t"), maxLength: 200, size: "max" });
  fc.assert(
    fc.property(text, (line) => {
      const lines = onPaper([line]);
      expect(lines.every((shown) => [...shown].length <= 40)).toBe(true);
      expect(lines.join("").replaceAll(" ", "")).toBe(line.replaceAll(/[ \t]/g, ""));
    }),
  );
});
