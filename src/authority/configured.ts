/** What the settings say about the tax authority, read once at the start. */
import type { Clock, Timer } from "../base/clock.js";
import { messageOf } from "../base/thrown.js";
import { aboutSetting } from "../config/about-setting.js";
import { ConfigError } from "../config/config-error.js";
import type { LoadedConfig } from "../config/load.js";
import { apiBase } from "./address.js";
import { type ClientCertificate, readCertificates, readClientCertificate } from "./client-certificate.js";
import { HttpsAuthority } from "./https-authority.js";

export interface ConfiguredAuthority {
  /** Overrides the address in the card's certificate. */
  readonly address: string | undefined;
  /** Undefined if a program on this machine speaks TLS for the service. */
  readonly certificate: ClientCertificate | undefined;
  /** PEM. */
  readonly ca: string | undefined;
  readonly proxy: URL | undefined;
}

/**
 * The settings' authority; undefined if they name neither a certificate nor a local program that has one.
 * @throws ConfigError that names setting and file
 */
export function configuredAuthority(config: LoadedConfig): ConfiguredAuthority | undefined {
  const { settings } = config;
  const { authorityUrl, authorityCertificate, authorityKey, authorityPassphraseFile } = settings;
  const { authorityCa, authorityProxy } = settings;
  if (authorityUrl !== undefined) aboutSetting("authorityUrl", config, () => checkAddress(authorityUrl));
  for (const name of ["authorityKey", "authorityPassphraseFile"] as const) {
    if (settings[name] !== undefined && authorityCertificate === undefined) {
      aboutSetting(name, config, () => {
        throw new ConfigError("is set without authorityCertificate; set both");
      });
    }
  }
  const certificate =
    authorityCertificate === undefined
      ? undefined
      : aboutSetting("authorityCertificate", config, () =>
          readClientCertificate({
            certificate: authorityCertificate,
            key: authorityKey,
            passphraseFile: authorityPassphraseFile,
          }),
        );
  const ca =
    authorityCa === undefined ? undefined : aboutSetting("authorityCa", config, () => readCertificates(authorityCa));
  if (!certificate && !authorityUrl?.startsWith("http:")) return undefined;
  return {
    address: authorityUrl,
    certificate,
    ca,
    proxy: authorityProxy === undefined ? undefined : new URL(authorityProxy),
  };
}

/**
 * @param cardAddress from the card's certificate; "" if it has none
 * @throws AuthorityError `unreachable` if there is no usable address
 */
export function openAuthority(
  { address, certificate, ca, proxy }: ConfiguredAuthority,
  cardAddress: string,
  times: { readonly clock: Clock; readonly timer: Timer },
): HttpsAuthority {
  return new HttpsAuthority({ address: address ?? cardAddress, certificate, ca, proxy, ...times });
}

function checkAddress(address: string): void {
  try {
    apiBase(address);
  } catch (error) {
    throw new ConfigError(messageOf(error));
  }
}
