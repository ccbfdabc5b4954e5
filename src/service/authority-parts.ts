/** Builds the parts that execute the tax authority's commands and audits, online and by stick. */
import { Audits } from "../authority/audit.js";
import { AuthorityKeys } from "../authority/authority-key.js";
import { CardTlsKey } from "../authority/card-tls-key.js";
import { Commands } from "../authority/commands.js";
import { directiveOnCard } from "../authority/directive.js";
import { AuthorityLink } from "../authority/link.js";
import { Packages } from "../authority/packages.js";
import { StickWatch } from "../authority/sticks.js";
import { systemTimer } from "../base/clock.js";
import type { EpochMs } from "../base/epoch-ms.js";
import type { SentEnvironments } from "../config/sent-environments.js";
import type { AuditParts } from "../console/audit.js";
import type { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import type { UnsentLimit } from "../fiscalizer/gates.js";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { AuthorityLedger } from "../ledger/authority-ledger.js";
import type { Foundation } from "./service-parts.js";

/** Length in bytes of the key for the hashes of refused PINs. */
const SECRET_BYTES = 32;

export type AuthorityParts = ReturnType<typeof authorityParts>;

interface Needs extends Pick<Foundation, "parts" | "folder" | "secureElement" | "events"> {
  readonly audits: AuditLedger;
  readonly ledger: AuthorityLedger;
  readonly environments: SentEnvironments;
  readonly fiscalizer: Fiscalizer;
  /** Without a connection to the authority, the service only warns of too many unsent sales. */
  readonly unsentLimit: UnsentLimit;
  readonly dated: (time: EpochMs) => void;
  /** Called when the authority's commands have changed something. */
  readonly commanded: () => void;
}

export function authorityParts(needs: Needs) {
  const { parts, secureElement, audits, ledger, environments, fiscalizer, dated, commanded } = needs;
  const { settings, clock, random, log, openAuthority: open } = parts;
  const { changed } = needs.events;
  const keys = new AuthorityKeys(secureElement, audits);
  secureElement.on("changed", keys.remember);
  const packages = new Packages({ audits, keys, clock, random, log });
  const { auditTurns: turns } = fiscalizer;
  const auditing = new Audits({ turns, secureElement, audits, packages, settings, clock, log, changed });
  const directive = directiveOnCard(
    secureElement,
    async (uid) => {
      const { sales } = await fiscalizer.doubts();
      if (sales.some(({ entry }) => entry.uid === uid)) return "a sale is in doubt";
      return fiscalizer.busy ? "the card is busy" : undefined;
    },
    (uid) => fiscalizer.cardAccepted(uid),
  );
  const commands = new Commands({
    ledger,
    environments,
    file: parts.environment,
    isSameAddress: parts.hooks?.isSameAddress,
    directive,
    proof: auditing.proof,
    clock,
    log,
    changed: commanded,
  });
  const timer = parts.authorityTimer ?? parts.timer;
  const cardKey =
    parts.cardKey &&
    new CardTlsKey({
      secureElement,
      inTurn: (uid, task) => turns.useKey(uid, task),
      ledger,
      clock,
      timer,
      secret: random.bytes(SECRET_BYTES),
      wanted: parts.cardKey === "set",
      changed: () => {
        if (cardKey?.isUsed) link?.wake();
        setLimit();
        changed();
      },
    });
  const link =
    open &&
    new AuthorityLink({
      secureElement,
      open: (identity) => open(identity, cardKey && ((request) => cardKey.token(identity.uid, request))),
      mayBegin: ({ uid }) => cardKey?.isReady(uid) ?? true,
      commands,
      task: auditing.task,
      isDue: auditing.isDue,
      clock,
      timer,
      random,
      log,
      dated,
      changed: commanded,
    });
  // The service has no connection while the key in the card has no PIN, unless a setting asks for the key.
  const isConnected = () => open !== undefined && (parts.cardKey !== "default" || (cardKey?.isUsed ?? false));
  const setLimit = () => {
    needs.unsentLimit.most = isConnected() ? settings.unsentLimit : undefined;
  };
  setLimit();
  // The key in the card is used only while that card is in the reader.
  secureElement.on("changed", setLimit);
  if (link) fiscalizer.on("sold", () => void link.afterSale());
  // People insert and remove sticks in real time, whatever clock the service has, so use the system's timer.
  const sticks = new StickWatch(systemTimer, changed);
  const auditParts: AuditParts = {
    secureElement,
    audits,
    dataDir: needs.folder,
    authority: ledger,
    auditing,
    packages,
    commands,
    clock,
    unsentLimit: settings.unsentLimit,
    isConnected,
    contact: () => link?.contact.contact ?? "not-asked",
    address: (identity) => parts.authorityAddress?.(identity),
    wake: () => link?.wake(),
    cardKey,
    sticks,
  };
  return { auditParts, cardKey, link, sticks };
}
