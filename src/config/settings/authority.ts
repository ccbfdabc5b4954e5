/** Settings for the connection to the tax authority and for audits. */
import { AUDIT_DUE_PERCENT } from "../../fiscal/limit.js";
import { textLike } from "../../schema/json-schema.js";
import { type SettingRows, TEXT } from "./row.js";

export const AUTHORITY_SETTINGS = {
  authorityUrl: {
    schema: textLike(
      "^https?://[^\\s@?#]+$",
      "an address such as https://authority.example/, without a user, a password, ? and #",
    ),
    description:
      "address of the tax authority's API. Default: the address in the card's certificate. Use `http://` only for a program on this machine that speaks TLS to the authority",
  },
  authorityCertificate: {
    schema: TEXT,
    description:
      "file with the client certificate for the tax authority: PEM, or PFX with key and certificate. Without it, the service uses the certificate and key in the card",
  },
  authorityKey: {
    schema: TEXT,
    description:
      "PEM file with the key of `authorityCertificate`; default: the key is in the same file. Or `card`: the key in the PKI applet of the card that signs; this is the default without `authorityCertificate`",
  },
  authorityPassphraseFile: {
    schema: TEXT,
    description:
      "file whose first line is the passphrase of the key or the PFX file; make it readable only for the user that runs the service",
  },
  authorityCa: {
    schema: TEXT,
    description:
      "PEM file with certification authorities: the service accepts only their certificates for the tax authority's server. Default: those that Node trusts",
  },
  authorityProxy: {
    schema: textLike(
      "^http://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?/?$",
      "an address such as http://proxy.example:3128",
    ),
    description:
      "HTTP proxy on the way to the tax authority; it sees only the authority's host name. Proxies that ask for a password are not supported",
  },
  unsentLimit: {
    schema: { type: "integer", minimum: 1, maximum: 100_000_000 },
    default: 100_000,
    description:
      "how many sales of a card may wait for a proof of audit. From 90 % on, status has 1100; at the limit, a service with a connection to the tax authority refuses sales with 1100",
    scope: "behaviour",
  },
  newCard: {
    schema: { type: "string", enum: ["sells", "waits"] },
    default: "sells",
    description:
      "whether a new card `sells` while sales of an old card have no proof of audit, or `waits`: then sales are refused with 1100",
    scope: "behaviour",
  },
  auditShare: {
    schema: { type: "integer", minimum: 1, maximum: 100 },
    default: AUDIT_DUE_PERCENT,
    description: "percent of the card's limit at which an audit starts automatically",
    scope: "behaviour",
  },
  auditAge: {
    schema: { type: "integer", minimum: 0, maximum: 3_650 },
    default: 30,
    description: "days after which a sale without a proof of audit starts an audit automatically; 0 for never",
    scope: "behaviour",
  },
} as const satisfies SettingRows;
