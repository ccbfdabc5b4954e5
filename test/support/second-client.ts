/**
 * A program of another maker at the tax authority. It was written from sections 1 and 8 of the protocol facts alone: it shares no
 * code with the service or with the emulated authority. Its habits are those of programs that were seen: ids in upper case,
 * PUT status without a body, property names in another spelling; of each list it uses only the first command of a type, and
 * it reads rates only as an array.
 */
import { constants, createCipheriv, createPublicKey, type KeyObject, publicEncrypt, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export interface SecondClientParts {
  readonly uid: string;
  /** Sends an APDU to the card. @returns its answer with the status word */
  readonly card: (command: Uint8Array) => Promise<Uint8Array>;
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly identity: { readonly certificate: string; readonly key: string };
}

type Fields = Readonly<Record<string, unknown>>;

/** What the authority's commands have set. */
export interface LearnedConfiguration {
  readonly parameters: Fields | undefined;
  readonly groups: readonly Fields[];
  readonly timeServer: string | undefined;
  readonly verificationUrl: string | undefined;
}

interface Command {
  readonly commandid: string;
  readonly type: number;
  readonly payload: string;
  readonly uid: string;
}

const START_AUDIT = 0x21;
const END_AUDIT = 0x20;
const AMOUNT_STATUS = 0x14;
const EXPORT_KEY = 0x07;

export class SecondClient {
  configuration: LearnedConfiguration = {
    parameters: undefined,
    groups: [],
    timeServer: undefined,
    verificationUrl: undefined,
  };
  readonly results: { readonly CommandId: string; readonly Success: boolean; readonly DateAndTime: string }[] = [];
  private readonly agent = new Agent({ keepAlive: true });
  private token = "";

  constructor(private readonly parts: SecondClientParts) {}

  async connect(): Promise<void> {
    const answer = await this.call("GET", "token");
    this.token = String(answer.token);
    await this.takeAll(await this.call("PUT", "status"), true);
  }

  /** @param sale `{request, result}` @returns the status of its package */
  async send(sale: object): Promise<number> {
    const { status, commands } = await this.call("POST", "audit", await this.sealed(sale));
    await this.takeAll(commands, true);
    return Number(status);
  }

  async audit(): Promise<void> {
    const { sum, limit } = await this.amounts();
    const AuditRequestPayload = (await this.auditRequest()).toString("base64");
    await this.takeAll(await this.call("POST", "audit-proof", { AuditRequestPayload, Sum: sum, Limit: limit }), true);
  }

  /** The sum of the card, times 10,000. */
  async amounts(): Promise<{ readonly sum: number; readonly limit: number }> {
    const answer = await this.ask(AMOUNT_STATUS);
    return { sum: answer.readUIntBE(1, 6), limit: answer.readUIntBE(8, 6) };
  }

  async writeStick(
    stick: string,
    sales: readonly { readonly counter: number; readonly sale: object }[],
  ): Promise<void> {
    const { uid } = this.parts;
    const folder = join(stick, uid);
    mkdirSync(folder, { recursive: true });
    for (const { counter, sale } of sales) {
      writeFileSync(join(folder, `${uid}-${uid}-${counter}.json`), JSON.stringify(await this.sealed(sale)));
    }
    writeFileSync(join(folder, `${uid}.arp`), await this.auditRequest());
  }

  /** Executes the commands of a stick, and writes the results onto it. */
  async readStick(stick: string): Promise<void> {
    const { uid } = this.parts;
    const path = join(stick, uid, uid);
    await this.takeAll(lowerCase(JSON.parse(readFileSync(`${path}.commands`, "utf8"))), false);
    writeFileSync(`${path}.results`, JSON.stringify(this.results));
  }

  private async takeAll(commands: unknown, reports: boolean): Promise<void> {
    const types = new Set<number>();
    for (const command of commands as readonly Command[]) {
      if (command.uid !== this.parts.uid) continue;
      const CommandId = command.commandid.toUpperCase();
      if (this.results.some((result) => result.CommandId === CommandId)) continue;
      const Success = types.has(command.type) || (await this.execute(command));
      types.add(command.type);
      this.results.push({ CommandId, Success, DateAndTime: new Date().toISOString() });
      if (reports) await this.call("PUT", `commands/${CommandId}`, Success);
    }
  }

  private async execute({ type, payload }: Command): Promise<boolean> {
    const known = this.configuration;
    switch (type) {
      case 0: {
        const groups = JSON.parse(payload) as readonly Fields[] | Fields;
        this.configuration = { ...known, groups: Array.isArray(groups) ? groups : [] };
        return true;
      }
      case 1:
        this.configuration = { ...known, timeServer: payload };
        return true;
      case 2:
        this.configuration = { ...known, verificationUrl: payload };
        return true;
      case 5:
        return this.ask(END_AUDIT, Buffer.from(payload, "base64")).then(
          () => true,
          () => false,
        );
      case 7:
        this.configuration = { ...known, parameters: JSON.parse(payload) as Fields };
        return true;
      default:
        return false;
    }
  }

  private async sealed(sale: object): Promise<object> {
    const key = await this.authorityKey();
    const [secret, iv] = [randomBytes(32), randomBytes(16)];
    const cipher = createCipheriv("aes-256-cbc", secret, iv);
    const payload = Buffer.concat([cipher.update(JSON.stringify(sale), "utf8"), cipher.final()]);
    const block = (bytes: Uint8Array) =>
      publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, bytes).toString("base64");
    return { KEY: block(secret), Iv: block(iv), PayLoad: payload.toString("base64") };
  }

  private async authorityKey(): Promise<KeyObject> {
    const answer = await this.ask(EXPORT_KEY);
    const [n, e] = [answer.subarray(0, 256), answer.subarray(256)].map((part) => part.toString("base64url"));
    return createPublicKey({ format: "jwk", key: { kty: "RSA", n: n ?? "", e: e ?? "" } });
  }

  /** The 256 bytes after 01000000. */
  private async auditRequest(): Promise<Buffer> {
    return (await this.ask(START_AUDIT)).subarray(4);
  }

  /** An extended APDU. @throws Error if the status word is not 9000 */
  private async ask(ins: number, data = Buffer.alloc(0)): Promise<Buffer> {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(data.length);
    const content = data.length === 0 ? [] : [length, data];
    const header = Buffer.from([0x88, ins, 0x04, 0x00, 0x00]);
    const answer = Buffer.from(await this.parts.card(Buffer.concat([header, ...content, Buffer.alloc(2)])));
    const status = answer.subarray(-2).toString("hex");
    if (status !== "9000") throw new Error(`the card answered ${status}`);
    return answer.subarray(0, -2);
  }

  private call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const { url, ca, identity } = this.parts;
    return new Promise((resolve, reject) => {
      const isToken = path === "token";
      const sent = request(
        `${url}/api/v3/sdc/${path}`,
        {
          method,
          ca,
          ...(isToken ? { cert: identity.certificate, key: identity.key } : {}),
          headers: isToken ? {} : { taxcoreauthenticationtoken: this.token, "Content-Type": "application/json" },
          agent: isToken ? false : this.agent,
        },
        async (response) => {
          const answer = await text(response);
          if (response.statusCode !== 200) reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
          else resolve(lowerCase(JSON.parse(answer)) as Record<string, unknown>);
        },
      );
      sent.once("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

/** Property names in lower case: this program reads them in any case. */
function lowerCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name.toLowerCase(), lowerCase(content)]));
}
