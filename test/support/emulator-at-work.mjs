// Runs an emulator of the built package, in which everything that a test can send is checked once.
import { createEmulator } from "../../dist/harness/testkit.js";

const till = await createEmulator({ scenario: "card/removed-and-inserted", given: { card: { pinTriesLeft: 2 } } });
till.fault({ on: "sign", kind: "noAnswer" });
await till.card.patch({ pinTriesLeft: 3 });
await fetch(`${till.controlUrl}/control/do`, { method: "POST", body: '{"card": "remove"}' });
await fetch(`${till.url}/api/v3/invoices`, { method: "POST", body: "{}" });
const headers = { "Content-Type": "application/json" };
await fetch(`${till.url}/console/reports/decide`, { method: "POST", headers, body: "{}" });
const { status } = await fetch(`${till.controlUrl}/control/do`, { method: "POST", body: '{"clock": {"at": 1}}' });
await till.close();
process.stdout.write(`${status}\n`);
