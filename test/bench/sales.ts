/** Complete invoices over HTTP, compared with bare RSA-2048 on one core and on all. */
import { bareSignatures, signaturesOfOneCore } from "./bare.js";
import { rate } from "./client.js";
import { type Group, measured, type Row } from "./row.js";
import { invoice, withService } from "./service.js";

const CONNECTIONS = 32;
const RUNS = 5;

const KINDS = [
  { name: "no data folder, with QR code", kept: false, qr: true, goal: 50 },
  { name: "no data folder, without QR code", kept: false, qr: false, goal: 60 },
  { name: "data folder, with QR code", kept: true, qr: true, goal: 30 },
  { name: "data folder, without QR code", kept: true, qr: false, goal: 35 },
];

export const sales: Group = async (seconds) => {
  const rows: Row[] = [];
  for (const { name, kept, qr, goal } of KINDS) {
    const shares = await withService(kept, async ({ url }) => {
      await rate(url, invoice({ qr }), CONNECTIONS, seconds);
      const ofOne: number[] = [];
      const ofAll: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        const [one, all] = [signaturesOfOneCore(seconds / 2), await bareSignatures(seconds / 2)];
        const sold = 100 * (await rate(url, invoice({ qr }), CONNECTIONS, seconds));
        ofOne.push(sold / one);
        ofAll.push(sold / all);
      }
      return { ofOne, ofAll };
    });
    const what = "invoices against bare RSA-2048";
    rows.push(
      { name: `${what} of one core: ${name}`, ...measured(shares.ofOne), goal, higherIsBetter: true, unit: "%" },
      { name: `${what} of all cores: ${name}`, ...measured(shares.ofAll), higherIsBetter: true, unit: "%" },
    );
  }
  return rows;
};
