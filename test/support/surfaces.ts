/** What a service says about itself at one moment, on every surface, and where two surfaces contradict each other. */

import { inEnglish } from "../../src/console/in-english.js";
import type { AuditsRecord } from "../../src/console/records/audits.js";
import type { CheckRecord } from "../../src/console/records/doctor.js";
import type { ReportsRecord } from "../../src/console/records/reports.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { sells, verdictOf } from "../../src/console/verdict.js";
import type { Finding } from "../../src/state/finding.js";
import { findingText } from "../../src/state/texts.js";
import { tillseal } from "./command.js";
import { parseMetrics } from "./prometheus.js";
import { callService, JSON_HEADERS, sale } from "./till.js";

interface StatusRecord {
  readonly gsc: readonly string[];
  readonly mssc: readonly string[];
  readonly lastInvoiceNumber: string;
  readonly isPinRequired: boolean;
  readonly auditRequired: boolean;
  readonly taxAuthoritySince: string | null;
  readonly clockDrift: number | null;
  readonly uid: string;
}

interface DoctorLine {
  readonly subject: string;
  readonly verdict: CheckRecord["verdict"];
  readonly message: string;
}

export interface Surfaces {
  readonly status: StatusRecord;
  readonly ready: { readonly ready: boolean; readonly missing: readonly string[] };
  readonly metrics: ReturnType<typeof parseMetrics> & { readonly text: string };
  readonly till: TillRecord;
  readonly page: readonly CheckRecord[];
  readonly audits: AuditsRecord;
  readonly reports: ReportsRecord;
  /** Lines of `tillseal status`. */
  readonly statusLines: readonly string[];
  /** Lines of `tillseal doctor`; undefined if the service has no folder. */
  readonly doctor: readonly DoctorLine[] | undefined;
  /** Output of `tillseal audit unsent`; undefined if the service has no folder. */
  readonly unsent: string | undefined;
  /** Findings of `tillseal verify`; undefined if the service has no folder, or has met no damage. */
  readonly verify: { readonly findings: readonly { readonly id?: number }[] } | undefined;
}

/** Asks every surface of a service that rests. @param dataDir its folder, for the commands that read the store */
export async function surfacesOf(url: string, dataDir?: string): Promise<Surfaces> {
  const get = async (path: string) => {
    const answer = await callService(url, "GET", path);
    if (answer.status !== 200 && answer.status !== 503) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const json = async <T>(path: string) => (await get(path)).json<T>();
  const { port } = new URL(url);
  // The commands find the service by its folder; without one, by its port.
  const place = dataDir === undefined ? ["--port", port] : ["--data-dir", dataDir];
  const inFolder = async (...args: string[]) =>
    dataDir === undefined ? undefined : (await tillseal([...args, ...place])).stdout;
  const doctor = await inFolder("doctor", "--json");
  const till = await json<TillRecord>("/console/till");
  // It starts a process, and is compared only with damage that the service has met.
  const isDamaged = till.findings.some(({ key }) => key === "entryDamaged");
  const verify = isDamaged ? await inFolder("verify", "--json") : undefined;
  const unsent = dataDir === undefined ? undefined : await tillseal(["audit", "unsent", ...place]);
  const { text } = await get("/metrics");
  return {
    status: await json("/api/v3/status"),
    ready: await json("/ready"),
    metrics: { ...parseMetrics(text), text },
    till,
    page: await json("/console/doctor"),
    audits: await json("/console/audit"),
    reports: await json("/console/reports"),
    statusLines: (await tillseal(["status", ...place])).stdout.split("\n"),
    doctor: doctor === undefined ? undefined : (JSON.parse(doctor) as { findings: DoctorLine[] }).findings,
    unsent: unsent && unsent.stdout + unsent.stderr,
    verify: verify === undefined || verify === "" ? undefined : (JSON.parse(verify) as NonNullable<Surfaces["verify"]>),
  };
}

const READY = inEnglish("ready");
const keysOf = (findings: readonly Finding[]) => findings.map(({ key }) => key).toSorted();
const unique = (texts: readonly string[]) => [...new Set(texts)].toSorted();

/** Says where two surfaces contradict each other; empty if nowhere. */
export function contradictionsIn(said: Surfaces): string[] {
  const { status, ready, metrics, till, page, audits, reports, statusLines, doctor, unsent, verify } = said;
  const found: string[] = [];
  const same = (what: string, one: unknown, other: unknown) => {
    const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
    if (a !== b) found.push(`${what}: ${a} and ${b}`);
  };
  const value = (name: string) => (metrics.has(name) ? metrics.value(name) : undefined);
  const labels = (name: string, label: string) =>
    [...metrics.text.matchAll(new RegExp(`^${name}\\{(?:.*,)?${label}="([^"]*)"`, "gm"))].map(([, text = ""]) => text);
  const { findings } = till;
  const numberIn = (name: string, keys: readonly string[]) =>
    findings.filter(({ key }) => keys.includes(key)).reduce((sum, { values }) => sum + Number(values[name]), 0);

  // Whether the next sale is signed.
  same("/ready and tillseal_ready", ready.ready, value("tillseal_ready") === 1);
  same("/ready and the first code of gsc", ready.ready, status.gsc[0] === "0100");
  same("/ready and the findings of Till", ready.ready, sells(findings));
  const text = { text: (finding: Finding) => findingText("en", finding), ready: { sentence: READY, advice: "" } };
  const { sentence, mood } = verdictOf(findings, text);
  if (!ready.ready && sentence.startsWith(READY)) found.push(`Till says "${sentence}", and /ready ${ready.missing}`);
  if (ready.ready && mood === "bad") found.push(`Till says "${sentence}", and /ready says that a sale is signed`);
  same("first sentence of Till and of tillseal status", statusLines[0]?.startsWith(sentence), true);
  const isStopped = findings.some(({ severity }) => severity === "stops");
  same(
    "a failed line on the page Doctor, and what stops",
    page.some(({ verdict }) => verdict === "fail"),
    isStopped,
  );
  if (doctor)
    same(
      "doctor fails",
      doctor.some(({ verdict }) => verdict === "fail"),
      isStopped,
    );

  // Codes and findings.
  same("codes of Till and gsc", till.codes, status.gsc);
  same(
    "codes of metrics and status",
    unique(labels("tillseal_status_code", "code")),
    unique([...status.gsc, ...status.mssc]),
  );
  same("findings of metrics and Till", unique(labels("tillseal_finding", "finding")), keysOf(findings));
  same("findings of Doctor and Till", keysOf(page.flatMap((line) => line.findings)), keysOf(findings));
  const shown = statusLines.flatMap((line) => /^(\d{4}) /.exec(line)?.[1] ?? []);
  same("codes of tillseal status and gsc", shown, status.gsc);
  for (const one of doctor ? findings : []) {
    const told = findingText("en", one).sentence;
    if (!doctor?.some(({ message }) => message.includes(told))) found.push(`doctor does not say "${told}"`);
  }
  same(
    "isPinRequired and Till's PIN",
    status.isPinRequired,
    till.card.state !== "ready" || till.card.pin !== "verified",
  );
  same("the card of status and of Till", status.uid, till.card.state === "ready" ? till.card.uid : "");

  // Counts.
  const card = audits.cards.find(({ inReader }) => inReader);
  same("unsent sales of metrics and of the page Audit", value("tillseal_unsent_sales"), card?.unsent);
  same("the limit of unsent sales", value("tillseal_unsent_sales_limit"), audits.unsentLimit);
  same(
    "sales in doubt of the findings and of Till",
    numberIn("sales", ["inDoubt", "otherInDoubt"]),
    reports.inDoubt.length,
  );
  const kinds = ["swapped", "back", "behind", "lost", "unproven"];
  same("reports of the findings and of Till", numberIn("reports", kinds), reports.reports.length);
  same("open audit of Till and of the page Audit", till.auditState === "runs" && !card?.audit, false);
  same(
    "auditRequired and 1400",
    status.auditRequired,
    findings.some(({ key }) => key === "auditDue"),
  );
  const oldest = value("tillseal_oldest_unsent_sale_timestamp_seconds");
  if (unsent !== undefined) {
    const isWaiting = /\d+ (not sent|damaged)/.test(unsent);
    same(`the oldest unsent sale of metrics and "audit unsent" (${unsent.trim()})`, oldest !== undefined, isWaiting);
    const since = /not sent since (\S+),/.exec(unsent)?.[1];
    if (since !== undefined && !/damaged/.test(unsent)) same("time of the oldest", oldest, Date.parse(since) / 1000);
    // The store cannot tell a sale in doubt from one whose receipt is in memory only.
    const doubted = Number(/(\d+) in doubt/.exec(unsent)?.[1] ?? 0);
    const held = numberIn("receipts", ["held"]);
    same("sales in doubt of Till and of audit unsent", reports.inDoubt.length + held, doubted);
  }
  if (verify) {
    const damaged = numberIn("entries", ["entryDamaged"]);
    if (damaged > new Set(verify.findings.map(({ id }) => id)).size)
      found.push(`${damaged} damaged, and verify differs`);
  }
  if (doctor) {
    const doubts = doctor.find(({ subject }) => subject === "sales in doubt")?.message ?? "none";
    same(`doctor's line of sales in doubt (${doubts})`, doubts.startsWith("none"), reports.inDoubt.length === 0);
    const toConfirm = doctor.find(({ subject }) => subject === "reports")?.message ?? "none";
    same("doctor's line of reports", Number(/^\d+/.exec(toConfirm)?.[0] ?? 0), reports.reports.length);
    if (unsent !== undefined) {
      const told = doctor.find(({ subject }) => subject === "unsent receipts");
      same("doctor and audit unsent", told?.verdict === "ok", unsent.startsWith("Every receipt"));
    }
  }

  // The authority and the clock.
  const { contact, since } = till.authority;
  const codes = { reachable: "0210", "not-reachable": "0220", "not-asked": undefined };
  same(
    "contact of Till and of gsc",
    codes[contact],
    status.gsc.find((code) => /^02[12]0$/.test(code)),
  );
  same("since when", since, status.taxAuthoritySince);
  const line = page.find(({ subject }) => subject === "tax authority");
  same("contact of Till and of Doctor", contact === "not-reachable", line?.verdict === "warn");
  same("the clock of Till and of status", till.clock?.ahead ?? null, status.clockDrift);
  same("the clock of metrics and of status", value("tillseal_clock_ahead_seconds") ?? null, status.clockDrift);
  if (till.last?.length === 0 && status.lastInvoiceNumber !== "")
    found.push("status has a last invoice, and Till none");
  return found;
}

/** What only the card's last answer says: a card that an emulator lets refuse once signs the next sale. */
const OF_THE_CARD = ["disabled", "counterAtEnd", "cardRefuses", "wasDisabled"];

/** Sells, and says what contradicts what the surfaces have said before. */
export async function contradictionsAtSale(url: string, { ready, till }: Surfaces): Promise<string[]> {
  const { card } = till;
  if (till.findings.some(({ key }) => OF_THE_CARD.includes(key))) return [];
  // A silent card may answer again.
  if (card.state === "ready" && till.findings.some(({ key }) => key === "unreachable")) return [];
  const label = till.rates.find(({ current }) => current)?.rates[0]?.label ?? "A";
  const items = [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: [label], totalAmount: 100 }];
  const answer = await callService(url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale({ items }) });
  const code = answer.status === 200 ? undefined : (answer.json<{ code?: string }>().code ?? answer.text);
  if ((code === undefined) === ready.ready && (code === undefined || ready.missing.includes(code))) return [];
  return [
    `/ready says ${ready.ready ? "that a sale is signed" : ready.missing}, and the next sale gets ${code ?? "a signature"}: ${code === undefined ? "" : answer.text}`,
  ];
}
