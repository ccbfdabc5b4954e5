/**
 * Lets Prometheus' own promtool judge deploy/monitoring: the rules and the queries of the dashboard, and which alerts fire for the
 * metrics of real emulators in each situation.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { installInCi, leaveOut, succeeds } from "../support/needed.mjs";
import { ROOT, result, run } from "./report.mjs";

const FOLDER = join(ROOT, "deploy", "monitoring");
const HAS_PROMTOOL = "command -v promtool";
const SALE = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 950, paymentType: "Cash" }],
  items: [{ name: "Bread", quantity: 1, unitPrice: 950, totalAmount: 950, labels: ["A"] }],
};
const sell = async ({ url }) => {
  const headers = { "Content-Type": "application/json" };
  const { status } = await fetch(`${url}/api/v3/invoices`, { method: "POST", headers, body: JSON.stringify(SALE) });
  if (status !== 200) throw new Error(`the sale got ${status}`);
};

/** The situations of a till: how it gets into one, and the alerts that fire two hours later, with the finding if it has one. */
const SITUATIONS = [
  { name: "a till that sells", given: {}, act: sell, alerts: [] },
  { name: "a till without its card", given: { card: { inserted: false } }, alerts: ["TillCannotSell noCard"] },
  {
    name: "a till that waits for its PIN",
    given: { card: { pinVerified: false } },
    alerts: ["TillWaitsForPerson pinNeeded"],
  },
  {
    name: "a card near its limit",
    given: { card: { limit: "1000" } },
    act: sell,
    alerts: ["TillLimitNear", "TillWarns auditDue"],
  },
  {
    name: "a certificate with ten days left",
    given: { clock: { at: "2026-03-01T12:00:00Z" }, card: { validTo: "2026-03-11T23:59:59Z" } },
    alerts: ["TillCertificateEnds", "TillWarns certificateEnds"],
  },
  {
    name: "a clock that is an hour ahead",
    given: { clock: { ahead: "1h" } },
    alerts: ["TillClockOff clockOff", "TillWarns clockOff"],
  },
  {
    name: "receipts that have waited for six days",
    given: { authority: { configures: false, faults: { down: true } } },
    act: async (emulator) => {
      await sell(emulator);
      emulator.clock.advance("6d");
    },
    alerts: ["TillReceiptsUnsent receiptsLate", "TillWarns receiptsLate"],
  },
];

/** @returns the samples of /metrics as series that stay the same for three hours; histograms are left out */
function seriesOf(metrics) {
  return metrics
    .split("\n")
    .filter((line) => /^tillseal_(?!sale_|card_sign_)/.test(line))
    .map((line) => {
      const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
      const all = [labels, 'job="tills"', 'instance="till-1"'].filter((label) => label !== "").join(",");
      return { series: `${name}{${all}}`, values: `${value}+0x180` };
    });
}

/** Which alerts fire for some series, as promtool says. */
function testOf(name, series, alerts) {
  const samples = alerts.map((alert) => {
    const [rule, finding] = alert.split(" ");
    return { labels: `{alertname="${rule}"${finding ? `,finding="${finding}"` : ""}}`, value: 1 };
  });
  const expr = 'count by (alertname, finding) (ALERTS{alertstate="firing"})';
  return {
    name,
    interval: "1m",
    input_series: series,
    promql_expr_test: [{ expr, eval_time: "121m", exp_samples: samples }],
  };
}

async function metricsIn({ given, act = async () => {} }) {
  const { createEmulator } = await import(join(ROOT, "dist", "harness", "testkit.js"));
  const card = { pinVerified: true, ...given.card };
  const emulator = await createEmulator({ given: { ...given, card, settings: { metrics: true } } });
  try {
    await act(emulator);
    return await (await fetch(`${emulator.url}/metrics`)).text();
  } finally {
    await emulator.close();
  }
}

const silent = [{ series: 'up{job="tills",instance="till-1"}', values: "0+0x180" }];
const noBackup = [
  { series: 'tillseal_last_good_backup_timestamp_seconds{job="tills",instance="till-1"}', values: "0+0x5000" },
];

export async function checkMonitoring() {
  if (!succeeds(HAS_PROMTOOL)) installInCi(["prometheus"]);
  if (!succeeds(HAS_PROMTOOL)) {
    leaveOut("the alert rules; they need promtool, of Debian's package prometheus");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "tillseal-monitoring-"));
  try {
    const tests = [testOf("a till that gives no answer", silent, ["TillSilent"])];
    // The clock of these tests begins at 0, so two days pass before the missing backup counts.
    const late = testOf("a till without a backup", noBackup, ["TillBackupOld"]);
    tests.push({ ...late, promql_expr_test: [{ ...late.promql_expr_test[0], eval_time: "51h" }] });
    for (const situation of SITUATIONS) {
      tests.push(testOf(situation.name, seriesOf(await metricsIn(situation)), situation.alerts));
    }
    const file = join(folder, "tests.yml");
    writeFileSync(file, stringify({ rule_files: [join(FOLDER, "alerts.yml")], tests }, { lineWidth: 0 }));
    const alerts = await run("promtool", ["test", "rules", file]);
    result("in each situation of a till the right alerts fire", alerts.status === 0, alerts.output);

    const { panels } = JSON.parse(readFileSync(join(FOLDER, "grafana.json"), "utf8"));
    const rules = panels.flatMap(({ targets }) => targets).map(({ expr }, i) => ({ record: `panel:${i}`, expr }));
    const queries = join(folder, "queries.yml");
    writeFileSync(queries, stringify({ groups: [{ name: "dashboard", rules }] }, { lineWidth: 0 }));
    const dashboard = await run("promtool", ["check", "rules", queries]);
    result("Prometheus can read every query of the dashboard", dashboard.status === 0, dashboard.output);

    const config = await run("promtool", ["check", "config", "--syntax-only", join(FOLDER, "prometheus.yml")]);
    result("Prometheus can read the configuration for many shops", config.status === 0, config.output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
