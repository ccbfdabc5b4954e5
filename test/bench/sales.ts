/** Complete invoices over HTTP, compared with bare RSA-2048 on all cores. */
import { bareSignatures } from "./bare.js";
import { rate } from "./client.js";
import { type Group, measured, type Row } from "./row.js";
import { invoice, withService } from "./service.js";

const CONNECTIONS = 32;
const RUNS = 3;

const KINDS = [
  { name: "no data folder, with QR code", kept: false, qr: true, goal: 32 },
  { name: "no data folder, without QR code", kept: false, qr: false, goal: 40 },
  { name: "data folder, with QR code", kept: true, qr: true, goal: 22 },
  { name: "data folder, without QR code", kept: true, qr: false, goal: 25 },
];

export const sales: Group = async (seconds) => {
  const rows: Row[] = [];
  for (const { name, kept, qr, goal } of KINDS) {
    const shares = await withService(kept, async ({ url }) => {
      await rate(url, invoice({ qr }), CONNECTIONS, seconds);
      const found: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        const bare = await bareSignatures(seconds / 2);
        found.push((100 * (await rate(url, invoice({ qr }), CONNECTIONS, seconds))) / bare);
      }
      return found;
    });
    rows.push({
      name: `invoices against bare RSA-2048: ${name}`,
      ...measured(shares),
      goal,
      higherIsBetter: true,
      unit: "%",
    });
  }
  return rows;
};
