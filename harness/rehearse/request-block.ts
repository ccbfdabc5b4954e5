/** Some requests of a POS, one after the other. A full block is compressed, because most emulators never show a rehearsal. */
import { promisify } from "node:util";
import { deserialize, serialize } from "node:v8";
import { constants, deflateRaw, inflateRawSync } from "node:zlib";
import { sizeOf, type TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import { sentRequests } from "../scenario/find-requests.js";
import type { JudgedRequest } from "./session.js";

type KeptEntry = TrafficEntry & { readonly hungUp: boolean };

const FULL = { requests: 100, characters: 512 * 1024 };
const deflate = promisify(deflateRaw);

export class RequestBlock {
  count = 0;
  characters = 0;
  /** The entries, until they are compressed or read. */
  private entries: KeptEntry[] = [];
  private compressed: Buffer | undefined;
  private known: readonly JudgedRequest[] | undefined;

  get isFull(): boolean {
    return this.count >= FULL.requests || this.characters >= FULL.characters;
  }

  add(entry: TrafficEntry, hungUp: boolean): void {
    this.entries.push({ ...entry, hungUp });
    this.count += 1;
    this.characters += sizeOf(entry);
    if (this.isFull) void this.compress();
  }

  get requests(): readonly JudgedRequest[] {
    if (this.known) return this.known;
    const entries = this.compressed
      ? (deserialize(inflateRawSync(this.compressed)) as readonly KeptEntry[])
      : this.entries;
    const requests = entries.flatMap((entry) => {
      const { headers, hungUp, ms } = entry;
      const language = headers["accept-language"];
      const judged = { ...(language && { language: String(language) }), ...(hungUp && { hungUpAfter: ms }) };
      return sentRequests([entry]).map((request): JudgedRequest => ({ ...request, ...judged }));
    });
    // A list that is looked at is looked at again and again.
    if (this.isFull) this.known = requests;
    return requests;
  }

  private async compress(): Promise<void> {
    this.compressed = await deflate(serialize(this.entries), { level: constants.Z_BEST_SPEED });
    this.entries = [];
  }
}
