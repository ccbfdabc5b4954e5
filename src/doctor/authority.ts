/**
 * Checks the connection to the tax authority: the certificate and its files, and whether the authority answers.
 * Without a connection, a shop can sell up to the card's limit.
 */
import { statSync } from "node:fs";
import type { ClientCertificate } from "../authority/client-certificate.js";
import { type ConfiguredAuthority, configuredAuthority, openAuthority } from "../authority/configured.js";
import { NOT_ASKED } from "../authority/contact.js";
import { AuthorityError } from "../authority/tax-authority.js";
import type { Background } from "../base/repeater.js";
import { ConfigError } from "../config/config-error.js";
import type { LoadedConfig } from "../config/load.js";
import { toIso } from "../fiscal/time.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import type { Facts } from "../state/facts.js";
import { isClockOff } from "../state/rules.js";
import { type Check, checkValidity, fail, ok, warn } from "./check.js";
import { type AskRights, askRights, othersLetIn, shutOut } from "./windows-rights.js";

/** Subject of the line that compares the clock with the authority's clock. */
export const AUTHORITY_TIME = "authority's time";

type Times = Pick<Background, "clock" | "timer">;

interface AuthorityCheck extends Pick<Facts, "contact" | "refusesUnsent"> {
  readonly checks: readonly Check[];
}

/** Checks the connection. @param identity identity of the card in the reader; undefined if the card cannot be read */
export async function checkAuthority(
  config: LoadedConfig,
  identity: Pick<CardIdentity, "uid" | "taxAuthorityApi"> | undefined,
  times: Times,
): Promise<AuthorityCheck> {
  const notAsked = (check: Check) => ({ checks: [check], contact: NOT_ASKED, refusesUnsent: false });
  let configured: ConfiguredAuthority;
  try {
    configured = configuredAuthority(config);
  } catch (error) {
    // The service does not start with settings that give this error.
    if (error instanceof ConfigError) return notAsked(fail("authority", error.message));
    throw error;
  }
  if (configured.cardKey) {
    const advice =
      "the running service asks for its PIN: page Audit, or tillseal pki-pin. Without it audits go by stick";
    return notAsked(ok("authority", `the key in the card, because authorityCertificate is not set; ${advice}`));
  }
  const { certificate } = configured;
  const [first, ...further] = await checkContact(configured, identity?.taxAuthorityApi ?? "", config, times);
  return {
    checks: [
      ...checkEnvironment(),
      ...(certificate ? [checkCertificate(certificate, identity?.uid, times.clock.now())] : []),
      ...(await checkSecrets(config)),
      first,
      ...further,
    ],
    contact: { contact: first.verdict === "ok" ? "reachable" : "not-reachable" },
    refusesUnsent: true,
  };
}

/** Warns of a variable without effect (`src/authority/https-client.ts`), because who set it may expect one. */
function checkEnvironment(): Check[] {
  if (process.env.NODE_TLS_REJECT_UNAUTHORIZED !== "0") return [];
  return [
    warn(
      "authority",
      "NODE_TLS_REJECT_UNAUTHORIZED=0 is in the environment; tillseal checks the authority's certificate anyway: remove the variable, and name the authority's CA in the setting authorityCa",
    ),
  ];
}

function checkCertificate(certificate: ClientCertificate, card: string | undefined, now: number) {
  const { file, uid, validFrom, validTo } = certificate;
  const subject = "authority certificate";
  const validity = `${file}, valid ${toIso(validFrom).slice(0, 10)} to ${toIso(validTo).slice(0, 10)}`;
  if (card !== undefined && uid !== undefined && uid !== card) {
    return warn(
      subject,
      `${validity}: it is for the card ${uid}, but ${card} is in the reader; name the certificate for ${card}`,
    );
  }
  const dates = `${validity}${uid === undefined ? "" : `, for the card ${uid}`}`;
  return checkValidity(subject, dates, certificate, now, "a new one");
}

/** Warns of secret files that other users can read: with key and passphrase, they could act for the shop. */
export async function checkSecrets(
  { settings }: Pick<LoadedConfig, "settings">,
  platform: NodeJS.Platform = process.platform,
  ask: AskRights = askRights,
): Promise<Check[]> {
  const { authorityCertificate, authorityKey = authorityCertificate, authorityPassphraseFile } = settings;
  const files = [authorityKey, authorityPassphraseFile].filter((file) => file !== undefined);
  if (platform === "win32") return openOnWindows(files, ask);
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0);
  if (open.length === 0) return [];
  return [warn("authority files", `${open.join(" and ")}: other users of this machine may read it; chmod 600 it`)];
}

async function openOnWindows(files: readonly string[], ask: AskRights): Promise<Check[]> {
  const findings = files.map(async (file) => {
    const others = othersLetIn((await ask(file)) ?? "");
    const names = others.map(({ name }) => name).join(", ");
    const message = `${file} is open to ${names}; remove their access as administrator: ${shutOut(file, others)}`;
    return others.length === 0 ? [] : [warn("authority files", message)];
  });
  return (await Promise.all(findings)).flat();
}

async function checkContact(
  configured: ConfiguredAuthority,
  cardAddress: string,
  { settings }: LoadedConfig,
  times: Times,
): Promise<[Check, ...Check[]]> {
  const address = configured.address ?? cardAddress;
  if (address === "")
    return [warn("authority", "its address is on the card, but no card can be read; insert the card")];
  try {
    const authority = openAuthority(configured, cardAddress, times);
    try {
      await authority.signIn();
    } finally {
      authority.close();
    }
    const { date } = authority;
    return [
      ok("authority", `${address} answers and accepts our certificate`),
      ...(date === undefined ? [] : [checkItsTime(times.clock.now() - date, settings.clockDrift)]),
    ];
  } catch (error) {
    if (error instanceof AuthorityError) return [warn("authority", error.message)];
    throw error;
  }
}

/** @param ahead ms by which the clock is ahead of the authority's @param tolerance the setting clockDrift, in s */
function checkItsTime(ahead: number, tolerance: number): Check {
  const seconds = Math.round(Math.abs(ahead) / 1000);
  return isClockOff(ahead, tolerance)
    ? warn(AUTHORITY_TIME, `the clock differs by ${seconds} s from the tax authority's; set the clock`)
    : ok(AUTHORITY_TIME, `the clock agrees with the tax authority's to ${seconds} s`);
}
