/** Receipts byte by byte: the real one in fixtures/verification-urls.json, and one of the kind that shops print. */
import { expect, it } from "vitest";
import { parseTime } from "../../src/fiscal/time.js";
import { decodeVerificationUrl, encodeVerificationData } from "../../src/fiscal/verification-url.js";
import { RECORDED_RECEIPT, RECORDED_URLS } from "../support/recorded.js";
import { openTill } from "../support/till.js";

const [RECORDED] = RECORDED_URLS;

it("the recorded receipt is reproduced byte by byte: journal, numbers, taxes and the header of its URL", async () => {
  const till = await openTill({
    profile: {
      uid: "YJLQTEQR",
      taxpayer: RECORDED_RECEIPT.taxpayer,
      counters: { total: 11388, NS: 8651 },
    },
    environment: "sandbox",
    now: () => parseTime("2023-06-06T11:21:15.504282Z") ?? 0,
  });
  const answer = (await till.sell(RECORDED_RECEIPT.invoice)).json<Record<string, string>>();
  expect(answer.journal).toBe(RECORDED_RECEIPT.journal);
  expect(answer).toMatchObject(RECORDED_RECEIPT.answer);
  const header = (url: string) =>
    Buffer.from(encodeVerificationData(decodeVerificationUrl(url)).subarray(0, 44 + 10)).toString("hex");
  expect(header(answer.verificationUrl ?? "")).toBe(header(RECORDED.url));
  const { hostname, pathname } = new URL(RECORDED.url);
  // The recorded configuration names the port, and the recorded receipt does not.
  expect(answer.verificationUrl?.replace(":443", "")).toContain(`https://${hostname}${pathname}?vl=`);
});

const SHOP = {
  tin: "100000015",
  businessName:
    "KOPIRNICA 11 РАДЊА ЗА ПРОМЕТ РОБЕ НА ВЕЛИКО И МАЛО ФОТОКОПИРАЊЕ И СЕРВИСИРАЊЕ БИРО-ОПРЕМЕ САМОСТАЛНА РАДЊА ПР",
  locationName: "1234567-Складишно-дистрибутивни центар Ниш",
  address: "ВИЗАНТИЈСКИ БУЛЕВАР 1   ",
  district: "Ниш-Медијана",
};
const COUNTERS = { total: 233807, NS: 233806 };

/** A line of 40 columns, safe from editors that trim trailing spaces. */
const padded = (line: string) => line.padEnd(40);

const HEADERS = {
  left: Object.values(SHOP),
  centred: [
    "               100000015",
    "  KOPIRNICA 11 РАДЊА ЗА ПРОМЕТ РОБЕ НА",
    "      ВЕЛИКО И МАЛО ФОТОКОПИРАЊЕ И",
    "   СЕРВИСИРАЊЕ БИРО-ОПРЕМЕ САМОСТАЛНА",
    "                РАДЊА ПР",
    " 1234567-Складишно-дистрибутивни центар",
    "                  Ниш",
    "        ВИЗАНТИЈСКИ БУЛЕВАР 1",
    "              Ниш-Медијана",
  ].map(padded),
};

const REST = [
  "ЕСИР број:               999/12.08.09.60",
  "-------------ПРОМЕТ ПРОДАЈА-------------",
  "Артикли",
  "========================================",
  "Назив   Цена         Кол.         Укупно",
  padded("Pileći batak/KG (Е)"),
  "       439,99      0,996          438,23",
  "BODI ŽERSEJ - MAJICA - 8600000000000 (КО",
  padded("М) (Ђ)"),
  "     1.899,00          1        1.899,00",
  "Čips od krompira/KOM\t\t\t\t/7000000 (Ђ)    ",
  "       149,99          1          149,99",
  "----------------------------------------",
  "Укупан износ:                   2.487,22",
  "Платна картица:                 2.487,22",
  "Готовина:                           0,00",
  "========================================",
  "Ознака       Име      Стопа        Порез",
  "Е           П-ПДВ   10,00%         39,84",
  "Ђ           О-ПДВ   20,00%        341,50",
  "----------------------------------------",
  "Укупан износ пореза:              381,34",
  "========================================",
  "ПФР време:           06.05.2023. 9:55:09",
  "ПФР број рачуна: SHOP0001-SHOP0001-23380",
  padded("8"),
  "Бројач рачуна:           233807/233808ПП",
  "========================================",
  "======== КРАЈ ФИСКАЛНОГ РАЧУНА =========",
];

const open = (journalHeader: "left" | "centred") =>
  openTill({
    profile: { uid: "SHOP0001", taxpayer: SHOP, counters: COUNTERS },
    environment: "cyrillic",
    settings: { journalHeader },
    now: () => Date.UTC(2023, 4, 6, 7, 55, 9, 202),
  });
const item = (name: string, quantity: number, unitPrice: number, label: string, totalAmount: number) => ({
  name,
  quantity,
  unitPrice,
  labels: [label],
  totalAmount,
});
const invoice = {
  invoiceType: 0,
  transactionType: 0,
  invoiceNumber: "999/12.08.09.60",
  items: [
    item("Pileći batak/KG", 0.996, 439.99, "Е", 438.23),
    item("BODI ŽERSEJ - MAJICA - 8600000000000 (КОМ)", 1, 1899, "Ђ", 1899),
    item("Čips od krompira/KOM\t\t\t\t/7000000", 1, 149.99, "Ђ", 149.99),
  ],
  payment: [
    { amount: 2487.22, paymentType: 2 },
    { amount: 0, paymentType: 1 },
  ],
};

it.each(["left", "centred"] as const)("the receipt of a shop has each line with the header %s", async (form) => {
  const { journal } = (await (await open(form)).sell(invoice)).json<{ journal: string }>();
  expect(journal.split("\r\n")).toEqual(["============ ФИСКАЛНИ РАЧУН ============", ...HEADERS[form], ...REST, ""]);
});

it("the receipt of a shop prints names as long as a certificate can carry", async () => {
  const long = "😀".repeat(3900);
  const taxpayer = { businessName: long, locationName: long, address: long, district: long };
  const till = await openTill({ profile: { taxpayer }, settings: { journalHeader: "left" } });
  const answer = (await till.sell()).json<Record<string, string>>();
  expect(answer).toMatchObject(taxpayer);
  expect(answer.journal?.split("\r\n")[2]).toBe(long);
});
