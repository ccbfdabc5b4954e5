/**
 * Receipts of other services, each printed again from its request: the examples of the vendor's manual in English, and
 * receipts of devices of Republika Srpska (test/support/recorded-receipts.json).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../src/fiscal/invoice.js";
import { parseTime } from "../../src/fiscal/time.js";
import { temporaryFolder } from "../support/folder.js";
import { RECORDED_RECEIPTS, type RecordedReceipt, recordedReceipt } from "../support/recorded-receipts.js";
import { openTill, type TillOptions } from "../support/till.js";

type Place = Pick<RecordedReceipt, "rates" | "languages" | "country" | "timeZone">;

/** An environment file with the rates and the country of a receipt. */
function environmentOf({ rates: taxRates, languages, country, timeZone: serverTimeZone }: Place) {
  const fixture = join(
    PACKAGE_ROOT,
    "fixtures",
    "environments",
    country === "BA" ? "ba-rs.yaml" : "specification.yaml",
  );
  const { parameters } = parse(readFileSync(fixture, "utf8")) as {
    parameters: { supportedLanguages: readonly string[] };
  };
  const { supportedLanguages = languages } = parameters;
  const file = join(temporaryFolder(), "environment.yaml");
  const changed = { ...parameters, country, serverTimeZone, supportedLanguages };
  writeFileSync(file, JSON.stringify({ parameters: changed, taxRates }));
  return file;
}

const letter = { advance: "A", copy: "C", normal: "N", proforma: "P", training: "T" } as Readonly<
  Record<string, string>
>;

async function printed(receipt: RecordedReceipt) {
  const { uid, total, pair, at, taxpayer, country, request, language, server } = receipt;
  const [, signer = uid] = server?.[0].split("-") ?? [];
  const letters = `${letter[request.invoiceType.toLowerCase()]}${request.transactionType[0]}`;
  const options: TillOptions = {
    profile: { uid: signer, taxpayer: { ...taxpayer, country }, counters: { total: total - 1, [letters]: pair - 1 } },
    environment: environmentOf(receipt),
    now: () => parseTime(at) ?? 0,
    ...(server ? { hooks: { requester: () => ({ uid, taxpayer: taxpayer as never }) } } : {}),
  };
  const answer = await (await openTill(options)).sell(request, { "Accept-Language": language });
  const { journal, messages } = answer.json<{ journal: string; messages: string }>();
  return { messages, lines: journal.split("\r\n").slice(0, -1) };
}

const OF_2024 = recordedReceipt("Republika Srpska sandbox 2024 Copy Sale");

it.each(RECORDED_RECEIPTS.filter((receipt) => receipt !== OF_2024))("$name is printed as recorded", async (receipt) => {
  const { lines, messages } = await printed(receipt);
  expect(lines).toEqual(receipt.journal);
  expect(messages).toBe(receipt.answer?.messages ?? "Success");
});

it("a receipt of 2024 of Republika Srpska has other words and columns for its items, and is the same otherwise", async () => {
  const lines2024 = new Map([
    ["Реф. вријеме:     12.03.2024. 07:48:47", "Реф. време:       12.03.2024. 07:48:47"],
    ["Назив  Цена        Кол.         Укупно", "Назив  Цијена        Кол.       Укупно"],
    ["      50,00       2,000         100,00", "        50,00       2,000       100,00"],
    ["     200,00       1,000         200,00", "       200,00       1,000       200,00"],
    ["ПФР вријеме:      12.03.2024. 07:49:43", "ПФР време:        12.03.2024. 07:49:43"],
  ]);
  const { lines } = await printed(OF_2024);
  expect(lines).toEqual(OF_2024.journal.map((line) => lines2024.get(line) ?? line));
});

const PAIRS = INVOICE_TYPE_NAMES.flatMap((invoiceType) =>
  TRANSACTION_TYPE_NAMES.map((transactionType) => ({ invoiceType, transactionType })),
);
const isFiscal = (invoiceType: string) => invoiceType === "Normal" || invoiceType === "Advance";
const right = (label: string, value: string, width: number) => label + value.padStart(width - label.length);

it.each(PAIRS)(
  "an English $invoiceType $transactionType is printed exactly",
  async ({ invoiceType, transactionType }) => {
    const sample = recordedReceipt("English Copy Refund");
    const { lines } = await printed({ ...sample, request: { ...sample.request, invoiceType, transactionType } });
    const title = `${invoiceType} ${transactionType}`.toUpperCase();
    const refers = transactionType === "Refund" || !["Proforma", "Training"].includes(invoiceType);
    const minus = transactionType === "Refund" ? "-" : "";
    const notFiscal = "===== THIS IS NOT A FISCAL INVOICE =====";
    const before = Math.floor((40 - title.length) / 2);
    expect(lines).toEqual([
      isFiscal(invoiceType) ? "============ FISCAL INVOICE ============" : notFiscal,
      ...sample.journal.slice(1, 11),
      ...(refers ? sample.journal.slice(11, 13) : []),
      "-".repeat(before) + title + "-".repeat(40 - before - title.length),
      ...sample.journal.slice(14, 18),
      right("        34.23          2", `${minus}68.46`, 40),
      "-".repeat(40),
      right(transactionType === "Refund" ? "Total Refund:" : "Total Purchase:", "68.46", 40),
      "-".repeat(40),
      right("Cash:", "68.46", 40),
      "=".repeat(40),
      ...(isFiscal(invoiceType) ? [] : ["      THIS IS NOT A FISCAL INVOICE      ", "=".repeat(40)]),
      ...sample.journal.slice(26, 33),
      right("Invoice Counter:", `38/390${invoiceType[0]}${transactionType[0]}`, 40),
      "=".repeat(40),
      isFiscal(invoiceType) ? "======== END OF FISCAL INVOICE =========" : notFiscal,
    ]);
  },
);

const NARROW = {
  Normal: ["П", "----------- ПРОМЕТ ПРОДАЈА -----------", "--------- ПРОМЕТ РЕФУНДАЦИЈА ---------"],
  Proforma: ["Р", "---------- ПРЕДРАЧУН ПРОДАЈА ---------", "-------- ПРЕДРАЧУН РЕФУНДАЦИЈА -------"],
  Copy: ["К", "----------- КОПИЈА ПРОДАЈА -----------", "--------- КОПИЈА РЕФУНДАЦИЈА ---------"],
  Training: ["О", "------------ ОБУКА ПРОДАЈА -----------", "---------- ОБУКА РЕФУНДАЦИЈА ---------"],
  Advance: ["А", "------------ АВАНС ПРОДАЈА -----------", "---------- АВАНС РЕФУНДАЦИЈА ---------"],
} as const;

it.each(PAIRS)(
  "a $invoiceType $transactionType of Republika Srpska is printed so",
  async ({ invoiceType, transactionType }) => {
    const sample = recordedReceipt("Republika Srpska 2025");
    const [letter, sold, refunded] = NARROW[invoiceType];
    const refund = transactionType === "Refund";
    const item = {
      gtin: "3871234567890",
      name: "Чоколада",
      quantity: 1000,
      unitPrice: 1.5,
      totalAmount: 1500,
      labels: ["Е"],
    };
    const request = {
      ...sample.request,
      invoiceType,
      transactionType,
      cashier: "Radnik 1",
      buyerId: "VP:4400000000005",
      referentDocumentNumber: "8ZAAAAXK-8ZAAAAXK-16001",
      referentDocumentDT: "2025-02-03T09:05:17+01:00",
      payment: [{ amount: 1500, paymentType: "WireTransfer" }],
      items: [item],
    };
    const { lines } = await printed({ ...sample, request });
    const notFiscal = "======= ОВО НИЈЕ ФИСКАЛНИ РАЧУН ======";
    const double = "=".repeat(38);
    expect(lines).toEqual([
      isFiscal(invoiceType) ? "=========== ФИСКАЛНИ РАЧУН ===========" : notFiscal,
      ...sample.journal.slice(1, 8),
      right("Реф. број:", "8ZAAAAXK-8ZAAAAXK-16001", 38),
      right("Реф. време:", "03.02.2025. 09:05:17", 38),
      right("ИД купца:", "VP:4400000000005", 38),
      right("Касир:", "Radnik 1", 38),
      right("ЕСИР број:", "13/2.0", 38),
      refund ? refunded : sold,
      ...sample.journal.slice(10, 13),
      "3871234567890 Чоколада (Е)".padEnd(38),
      right("         1,50   1.000,000", refund ? "-1.500,00" : "1.500,00", 38),
      "-".repeat(38),
      right(refund ? "Укупна рефундација:" : "Укупан износ:", "1.500,00", 38),
      right("Пренос на рачун:", "1.500,00", 38),
      double,
      ...(isFiscal(invoiceType) ? [] : [notFiscal, double]),
      "Ознака    Назив    Стопа         Порез",
      right("Е           ПДВ      17%", "217,95", 38),
      "-".repeat(38),
      right("Укупан износ пореза:", "217,95", 38),
      double,
      ...sample.journal.slice(24, 26),
      right("Бројач рачуна:", `16156/16303${letter}${refund ? "Р" : "П"}`, 38),
      double,
      isFiscal(invoiceType) ? "======== КРАЈ ФИСКАЛНОГ РАЧУНА =======" : notFiscal,
    ]);
  },
);
