/** Unusual but valid input must work. */
import { expect, it } from "vitest";
import { item, JSON_HEADERS, openTill, sale } from "../support/till.js";

it("unusual but valid input 1,000 items are signed and printed", async () => {
  const till = await openTill();
  const items = Array.from({ length: 1000 }, (_, i) => item(`I${i}`, 1.1, "B"));
  const body = (await till.sell(sale({ items }))).json<{ journal: string }>();
  expect(body).toMatchObject({ totalAmount: 1100, taxItems: [{ amount: 100 }] });
  expect(body.journal.split("\r\n").filter((line) => /^I\d+ \(B\)/.test(line))).toHaveLength(1000);
});

it("unusual but valid input a name of 2,048 characters, emoji and right-to-left text appear unchanged in the journal", async () => {
  const till = await openTill();
  const names = ["x".repeat(2048), "☕️ café 日本語", "قهوة", '<script>alert(1)</script> & "quotes" \\ $& $1'];
  const items = names.map((name) => item(name, 1));
  const { journal } = (await till.sell(sale({ items }))).json<{ journal: string }>();
  for (const name of names) expect(journal.replaceAll("\r\n", "")).toContain(name);
});

it("unusual but valid input a byte order mark, white space and numbers in any notation are accepted", async () => {
  const till = await openTill();
  const text = JSON.stringify(sale())
    .replace('"unitPrice":100', '"unitPrice":1.00e+2')
    .replace('"quantity":1', '"quantity":1.000');
  const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(` \n${text}\t`)]);
  const answer = await till.call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body });
  expect(answer.json()).toMatchObject({ totalAmount: 100 });
});

it("unusual but valid input the content type is accepted with parameters and in any case", async () => {
  const till = await openTill();
  for (const type of ["Application/JSON; charset=UTF-8", "application/json;odata=verbose", "text/json"]) {
    const answer = await till.call("POST", "/api/v3/invoices", { headers: { "Content-Type": type }, body: sale() });
    expect(answer.status, type).toBe(200);
  }
});

it("unusual but valid input an item with amount zero and a buyer id of 20 characters are accepted", async () => {
  const till = await openTill();
  const items = [{ name: "Gift", quantity: 0.001, unitPrice: 0, labels: ["N"], totalAmount: 0 }];
  const body = (await till.sell(sale({ items, buyerId: "12345678901234567890" }))).json();
  expect(body).toMatchObject({ totalAmount: 0, taxItems: [{ label: "N", amount: 0 }] });
});
