/** The typed client in a browser, on a page from another origin. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { expect, test } from "./till.js";

const CLIENT = join(import.meta.dirname, "..", "..", "dist", "clients", "typescript");
const PAGE = `<!doctype html><title>POS</title><script type="module">
  import { createClient, submit } from "/client.js";
  const service = createClient({ url: new URL(location).searchParams.get("service") });
  const pin = await service.pin({ body: { pin: "1234" } });
  const sale = await submit(service, {
    invoiceType: "Normal",
    transactionType: "Sale",
    payment: [{ amount: 240, paymentType: "Cash" }],
    items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
  }, "order-1");
  document.body.textContent = pin.data + " " + sale.data.invoiceCounter;
</script>`;

test("the typed client sells from a page of the POS", async ({ page, till }) => {
  const pos = createServer(({ url = "/" }, answer) => {
    const isScript = url.endsWith(".js");
    answer.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
    answer.end(isScript ? readFileSync(join(CLIENT, basename(url))) : PAGE);
  });
  await new Promise<void>((resolve) => pos.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = pos.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/?service=${encodeURIComponent(till.url)}`);
    await expect(page.locator("body")).toHaveText("0100 1/1NS");
  } finally {
    pos.close();
  }
});
