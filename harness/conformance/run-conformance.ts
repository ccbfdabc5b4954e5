/** Runs `tillseal conformance`. */

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { PROFILE_SCHEMA } from "../../emulator/card/profile.js";
import { systemClock } from "../../src/base/clock.js";
import { messageOf } from "../../src/base/thrown.js";
import { EXIT, UserError } from "../../src/base/user-error.js";
import { ConfigError } from "../../src/config/config-error.js";
import { toIso } from "../../src/fiscal/time.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { type CertificateIdentity, readCertificate } from "../../src/secure-element/certificate.js";
import { hidingPin } from "../scenario/hidden-pin.js";
import { httpCall } from "../scenario/http-call.js";
import { fieldsOf, jsonIn } from "../scenario/json.js";
import { type Remote, remotePin, type TlsFlags } from "../scenario/remote.js";
import { REPORTS, rowText, summary, writeReport } from "../scenario/report.js";
import type { Row } from "../scenario/row.js";
import { onRemote } from "../scenario/run-files.js";
import { tlsOptions } from "../scenario/tls-options.js";
import { get } from "./session.js";
import { runSuite } from "./suite.js";

export interface ConformanceFlags extends TlsFlags {
  readonly vsdc?: boolean;
  readonly certificate?: string;
  /** Files for reports: JUnit if the name ends with `.xml`, JSON for `.json`, otherwise HTML. */
  readonly report: readonly string[];
}

export interface RunConformance extends ConformanceFlags {
  readonly remote: Remote;
  readonly write: (text: string) => void;
}

/** @throws UserError if the service does not answer or a file cannot be read or written */
export async function runConformance(options: RunConformance): Promise<readonly Row[]> {
  const { report: reports, vsdc: online = false } = options;
  for (const file of reports) writeReport("--report", file);
  const hide = hidingPin(remotePin(options.remote));
  const write = (text: string) => options.write(hide(text));
  const remote = withTls(options);
  const certificate = options.certificate === undefined ? undefined : certificateIn(options.certificate);
  const service = await describe(remote);
  const cases = await onRemote(remote, { realTime: false }, async (open) => {
    // A real card keeps its state, and an emulator gets a new world.
    const stage = await open({ given: {}, steps: [] });
    try {
      const ended = (row: Row) => write(rowText(row));
      return await runSuite({ stage, certificate, online, ended }, wrongPinFor(remote));
    } finally {
      await stage.close?.();
    }
  });
  write(`\n${summary(cases)}\n`);
  const about = [`${service}, ${toIso(systemClock.now())}`];
  const report = { title: `Conformance of ${remote.baseUrl}`, about, rows: cases };
  for (const file of reports) {
    const form = REPORTS[file.endsWith(".xml") ? "junit" : file.endsWith(".json") ? "json" : "html"];
    writeReport("--report", file, hide(form(report)));
  }
  return cases;
}

/** Adds the certificates of the files to the connection. @throws ConfigError if a file cannot be used */
function withTls({ remote, ...files }: RunConformance): Remote {
  if (files.cert === undefined && files.ca === undefined) return remote;
  if (!("allowed" in remote) || !remote.baseUrl.startsWith("https:")) {
    throw new ConfigError("--cert and --ca are for a service at an https address that has no --control-url");
  }
  return { ...remote, agent: new Agent(tlsOptions(files)) };
}

/** Returns neither the card's PIN nor the default PIN, which the stage replaces by the card's PIN. */
function wrongPinFor(remote: Remote): string {
  const taken = [remotePin(remote), PROFILE_SCHEMA.properties.pin.default];
  return ["0000", "1111", "2222"].find((digits) => !taken.includes(digits)) ?? "3333";
}

/** Returns a line about the service for the reports. @throws UserError if the service cannot be reached */
async function describe(remote: Remote): Promise<string> {
  const { baseUrl } = remote;
  const headers = "headers" in remote ? remote.headers : undefined;
  const agent = "agent" in remote ? remote.agent : undefined;
  const answer = await httpCall(baseUrl, get("/status", headers), agent).catch((error: unknown) => {
    const reason = messageOf(error);
    throw new UserError(
      `nothing was tested: no whole answer from the service at ${baseUrl}: ${reason}`,
      EXIT.nothingPlayed,
    );
  });
  if (answer && /^\s*</.test(answer.text))
    throw new UserError(
      `nothing was tested: ${baseUrl} answers GET ${API_PREFIX}/status with ${answer.status} and a web page; give the address of a fiscal service`,
      EXIT.nothingPlayed,
    );
  const { make, model, softwareVersion } = fieldsOf(jsonIn(answer?.text ?? ""));
  const names = [make, model, softwareVersion].filter((part) => typeof part === "string" && part !== "");
  return names.join(" ") || "a service that does not name itself";
}

/** Reads the card's certificate. @throws UserError if the file is not a readable certificate */
function certificateIn(file: string): CertificateIdentity {
  try {
    // X509Certificate reads both PEM and DER.
    return readCertificate(new X509Certificate(readFileSync(file)).raw);
  } catch (error) {
    const reason = messageOf(error);
    throw new UserError(`--certificate ${file} is not a readable card certificate: ${reason}`, EXIT.usage);
  }
}
