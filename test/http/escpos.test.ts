/** A receipt for a receipt printer, read back by a model of Epson's printers. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { escPos } from "../../src/fiscal/escpos.js";
import { printed } from "../support/receipt-printer.js";
import { scan } from "../support/scanner.js";
import { openTill, sale } from "../support/till.js";

const DOTS = { "58mm": 384, "80mm": 576 } as const;

const item = (name: string) => ({ name, quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 });
const items = ["Бурек са сиром, Ђорђевић Љуља Њ Ћ Џ ј", "Šećer, čaj i đumbir ŽĐŠČĆ", "Őrség", "☕ кафа"].map(item);

async function sold(fields: object = {}, headers: Record<string, string> = { "Accept-Language": "sr-Cyrl-RS" }) {
  const till = await openTill();
  const sent = { RequestId: "order-1", ...headers };
  const answer = (await till.sell({ ...sale(), items, ...fields }, sent)).json<{
    readonly journal: string;
    readonly verificationUrl: string;
  }>();
  const get = (query: string, path = "/api/v3/invoices/order-1/escpos") => fetch(`${till.url}${path}${query}`);
  return { ...answer, get };
}

const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());

for (const paper of ["58mm", "80mm"] as const) {
  for (const qr of ["command", "raster"] as const) {
    it(`GET /api/v3/invoices/{requestId}/escpos prints every line and a readable QR code: ${paper}, ${qr}`, async () => {
      const { journal, verificationUrl, get } = await sold({ buyerId: "10:123456789" });
      const answer = await get(`?paper=${paper}&qr=${qr}`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/vnd.escpos"]);
      const { lines, picture, qrCommands, cut } = printed(await bytesOf(answer), DOTS[paper]);
      const expected = journal.replaceAll("☕", "?").split("\r\n").slice(0, -1);
      expect(lines.map((line) => line.trim()).filter((line) => line !== "")).toEqual(
        expected.map((line) => line.trim()),
      );
      expect(lines.at(-1)?.trim()).toBe("======== КРАЈ ФИСКАЛНОГ РАЧУНА =========");
      expect(await scan(picture)).toEqual([verificationUrl]);
      expect([qrCommands, cut]).toEqual([qr === "command" ? 1 : 0, true]);
    });
  }
}

it("GET /api/v3/invoices/{requestId}/escpos prints on 80 mm with the printer's QR code by default", async () => {
  const { get } = await sold();
  expect(await bytesOf(await get(""))).toEqual(await bytesOf(await get("?paper=80mm&qr=command")));
});

it("GET /api/v3/invoices/{requestId}/escpos prints a receipt even when its POS asked for no text", async () => {
  const { get } = await sold({ options: { omitTextualRepresentation: "1", omitQRCodeGen: "1" } });
  const { lines } = printed(await bytesOf(await get("")), DOTS["80mm"]);
  expect(lines[0]?.trim()).toBe("============ ФИСКАЛНИ РАЧУН ============");
});

it.each(["?paper=A4", "?paper=", "?qr=svg", "?paper=58mm&paper=80mm"])(
  "GET /api/v3/invoices/{requestId}/escpos refuses %s with 2805",
  async (query) => {
    const { get } = await sold();
    const answer = await get(query);
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: "2805" })]);
  },
);

it("GET /api/v3/invoices/{requestId}/escpos answers 404 for an unknown RequestId", async () => {
  const { get } = await sold();
  expect((await get("", "/api/v3/invoices/order-2/escpos")).status).toBe(404);
});

it("the bytes for a printer have none for characters that take no room", () => {
  const journal = "Ca\u00adfe\u200d \u2060Crna\u3164\r\nend\r\n";
  const { lines } = printed(escPos(journal, "https://example.test/v/?vl=AA", "58mm", "raster"), 384);
  expect(lines[0]?.trim()).toBe("Cafe Crna");
});

it("the bytes for a printer contain the receipt's text, and no printer commands that the text could smuggle in", () => {
  const hostile = fc.string({
    unit: fc.constantFrom("a", "Ж", "č", "\u001b", "\u001d", "@", "\u0000", "\u007f", "😀"),
  });
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 5 }), (names) => {
      const journal = [...names, "end"].map((line) => `${line}\r\n`).join("");
      const { lines } = printed(escPos(journal, "https://example.test/v/?vl=AA", "58mm", "raster"), 384);
      expect(lines.at(-1)?.trim()).toBe("end");
      expect(lines.join("")).not.toMatch(/\p{Cc}/u);
    }),
  );
});
