/** Reads the settings about the tax authority, once at the start. */
import type { Background } from "../base/repeater.js";
import { ConfigError } from "../config/config-error.js";
import { aboutSetting, type LoadedConfig } from "../config/load.js";
import type { SettingName } from "../config/settings.js";
import { apiBase } from "./address.js";
import { type ClientCertificate, readCertificates, readClientCertificate } from "./client-certificate.js";
import { HttpsAuthority } from "./https-authority.js";
import type { Token } from "./token.js";
import type { TokenRequest } from "./token-process.js";

export interface ConfiguredAuthority {
  /** The address from the settings, which overrides the address in the card's certificate. */
  readonly address: string | undefined;
  /** From files; undefined if the key is in the card, or if a program on this machine handles TLS. */
  readonly certificate: ClientCertificate | undefined;
  /** Whether to use the key in the card that signs. `set`: a setting says so. `default`: no other key is configured. */
  readonly cardKey: "set" | "default" | undefined;
  /** The authority's CA, PEM. */
  readonly ca: string | undefined;
  readonly proxy: URL | undefined;
}

/** Value of the setting `authorityKey` for the key in the card. */
const IN_CARD = "card";

/** @throws ConfigError that names the setting and the file */
export function configuredAuthority(config: LoadedConfig): ConfiguredAuthority {
  const { settings } = config;
  const { authorityUrl, authorityCertificate, authorityKey, authorityPassphraseFile, authorityProxy } = settings;
  const ifSet = <T>(name: "authorityUrl" | "authorityCertificate" | "authorityCa", read: (value: string) => T) => {
    const value = settings[name];
    return value === undefined ? undefined : aboutSetting(name, config, () => read(value));
  };
  ifSet("authorityUrl", apiBase);
  const refuse = (name: SettingName, message: string) =>
    aboutSetting(name, config, () => {
      throw new ConfigError(message);
    });
  const isInCard = authorityKey === IN_CARD;
  const needCertificate = isInCard ? [] : (["authorityKey", "authorityPassphraseFile"] as const);
  for (const name of needCertificate) {
    if (settings[name] !== undefined && authorityCertificate === undefined)
      refuse(name, "is set without authorityCertificate; set both");
  }
  if (isInCard && authorityCertificate !== undefined)
    refuse("authorityKey", "is card, so the card has the certificate too; remove authorityCertificate");
  const keyFiles = { key: authorityKey, passphraseFile: authorityPassphraseFile };
  const certificate = ifSet("authorityCertificate", (file) =>
    readClientCertificate({ certificate: file, ...keyFiles }),
  );
  const ca = ifSet("authorityCa", readCertificates);
  const hasHelper = authorityUrl?.startsWith("http:") ?? false;
  return {
    address: authorityUrl,
    certificate,
    cardKey: isInCard ? "set" : certificate || hasHelper ? undefined : "default",
    ca,
    proxy: authorityProxy === undefined ? undefined : new URL(authorityProxy),
  };
}

/** Gets a token with the key in the card. @throws AuthorityError */
export type RequestCardToken = (request: Omit<TokenRequest, "certificate" | "sign">) => Promise<Token>;

/**
 * @param cardToken gets a token with the key in the card, for {@link ConfiguredAuthority.cardKey}
 * @param cardAddress the address in the card's certificate; "" if the certificate has none
 * @throws AuthorityError `unreachable` if there is no usable address
 */
export function openAuthority(
  { address: configured, certificate, ca, proxy }: ConfiguredAuthority,
  cardAddress: string,
  times: Pick<Background, "clock" | "timer">,
  cardToken?: RequestCardToken,
): HttpsAuthority {
  const address = configured ?? cardAddress;
  const requestToken = cardToken && (() => cardToken({ address, ca, proxy: proxy?.href }));
  return new HttpsAuthority({ address, certificate, requestToken, ca, proxy, ...times });
}
