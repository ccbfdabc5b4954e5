/** The way to the tax authority: certificate, its files, and whether the authority answers. A shop sells without it, up to the card's limit. */
import { statSync } from "node:fs";
import type { ClientCertificate } from "../authority/client-certificate.js";
import { type ConfiguredAuthority, configuredAuthority, openAuthority } from "../authority/configured.js";
import { AuthorityError } from "../authority/tax-authority.js";
import type { Clock, Timer } from "../clock.js";
import { ConfigError } from "../config/config-error.js";
import type { LoadedConfig } from "../config/load.js";
import { toIso } from "../fiscal/time.js";
import { certificateStanding } from "../health/rules.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { type Finding, fail, ok, warn } from "./finding.js";

interface Times {
  readonly clock: Clock;
  readonly timer: Timer;
}

/** @param identity of the card in the reader; undefined where none can be read */
export async function checkAuthority(
  config: LoadedConfig,
  identity: Pick<CardIdentity, "uid" | "taxAuthorityApi"> | undefined,
  times: Times,
): Promise<Finding[]> {
  let configured: ConfiguredAuthority | undefined;
  try {
    configured = configuredAuthority(config);
  } catch (error) {
    // The service does not start with such settings.
    if (error instanceof ConfigError) return [fail("authority", error.message)];
    throw error;
  }
  if (!configured) {
    return [ok("authority", "none is configured (authorityCertificate); audits go by stick, rates come from a file")];
  }
  const { certificate } = configured;
  return [
    ...(certificate ? [checkCertificate(certificate, identity?.uid, times.clock.now())] : []),
    ...checkSecrets(config),
    await checkContact(configured, identity?.taxAuthorityApi ?? "", times),
  ];
}

function checkCertificate(certificate: ClientCertificate, card: string | undefined, now: number) {
  const { file, uid, validFrom, validTo } = certificate;
  const { standing, daysLeft } = certificateStanding(certificate, now);
  const subject = "authority certificate";
  const said = `${file}, valid ${toIso(validFrom).slice(0, 10)} to ${toIso(validTo).slice(0, 10)}`;
  if (standing === "ended") return warn(subject, `${said}: it has expired; ask the authority for a new one`);
  if (standing === "not-yet") return warn(subject, `${said}, and the clock says ${toIso(now)}: set the clock`);
  if (card !== undefined && uid !== undefined && uid !== card) {
    return warn(subject, `${said}: it is for the card ${uid}, and ${card} is in the reader; name the one for ${card}`);
  }
  return standing === "ends-soon"
    ? warn(subject, `${said}, ${daysLeft} days left: ask the authority for a new one`)
    : ok(subject, `${said}${uid === undefined ? "" : `, for the card ${uid}`}`);
}

/** Who has the key and its passphrase can speak for the shop. */
function checkSecrets({ settings }: LoadedConfig): Finding[] {
  if (process.platform === "win32") return [];
  const { authorityCertificate, authorityKey = authorityCertificate, authorityPassphraseFile } = settings;
  const open = [authorityKey, authorityPassphraseFile].filter(
    (file) => file !== undefined && (statSync(file).mode & 0o077) !== 0,
  );
  if (open.length === 0) return [];
  return [warn("authority files", `${open.join(" and ")}: other users of this machine may read it; chmod 600 it`)];
}

async function checkContact(configured: ConfiguredAuthority, cardAddress: string, times: Times): Promise<Finding> {
  const address = configured.address ?? cardAddress;
  if (address === "") return warn("authority", "its address is in the card, and no card can be read; put in the card");
  try {
    const authority = openAuthority(configured, cardAddress, times);
    try {
      await authority.signIn();
    } finally {
      authority.close();
    }
    return ok("authority", `${address} answers and accepts us`);
  } catch (error) {
    if (error instanceof AuthorityError) return warn("authority", error.message);
    throw error;
  }
}
