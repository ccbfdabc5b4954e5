/** Describes a running service with any card, and writes what `tillseal serve` prints when the service starts. */
import type { LoadedConfig } from "../config/load.js";
import { API_PREFIX } from "../http/endpoints.js";
import { nearby } from "../http/listen.js";
import { complain } from "./terminal.js";

/** PIN of the shipped emulated cards. */
export const DEFAULT_PIN = "1234";

export interface Running {
  readonly url: string;
  /** Name of the card, for people. */
  readonly card: string;
  readonly pin?: string;
  /** Addresses of the emulator's control interface and of the emulated authority. */
  readonly control?: string;
  readonly authority?: string | undefined;
  /** Further lines for people, such as how a POS calls the emulated online service. */
  readonly notes?: readonly string[];
  stop(): Promise<void>;
  /** Whether a card hangs, so that the process must not wait for it. */
  stuck(): boolean;
}

/** The functions that a service needs besides its settings, to start and to start again. */
export interface Starting {
  /** Reads the flags, the variables and the file as they are now. */
  readonly load: () => LoadedConfig;
  /** Ends the process, because the service could not be started again. */
  readonly gaveUp: (error: unknown) => void;
  /** Called when the service listens again. */
  readonly listens: (url: string) => void;
  /** Ends the process on request of `tillseal stop`. */
  readonly stop: () => void;
}

export function noLongerRecorded(reason: string): void {
  complain(`recording has stopped: ${reason}`);
}

/** The text that `tillseal serve` prints. @param sell command line of `tillseal sample sale`, without its arguments */
export function welcome(
  { url, card, pin, control, authority, notes = [] }: Omit<Running, "stop" | "stuck">,
  sell = sampleSale(process.platform, process.argv[1] ?? ""),
): string {
  const here = nearby(url);
  const api = here + API_PREFIX;
  const lines = [`tillseal listens on ${url}${API_PREFIX}`, `card: ${card}`];
  if (pin === undefined) {
    lines.push("verify the PIN, then post invoices:", `  curl -d PIN ${api}/pin`);
  } else {
    const other = pin === DEFAULT_PIN ? "" : ` --pin ${pin}`;
    lines.push(`PIN of the emulated card: ${pin}. A first signed invoice, from another terminal:`);
    lines.push(`  ${sell} ${here}${other}`);
  }
  lines.push(`console: ${here}/`);
  const driven = control === undefined ? "" : `${control}/control drives the emulated card. `;
  lines.push(`${driven}Press Ctrl-C to stop`);
  if (authority !== undefined) lines.push(`the emulated tax authority listens on ${authority}`);
  lines.push(...notes, "ready");
  return `${lines.join("\n")}\n`;
}

/**
 * The command line of `tillseal sample sale`. A POSIX shell, cmd and PowerShell read it alike, in any folder. The zip
 * for Windows has its own Node.js, which is not on the path, so its command line works only in the folder of the zip.
 * @param script path of the program that runs
 */
export function sampleSale(platform: NodeJS.Platform, script: string): string {
  const zip = platform === "win32" && script.includes("\\app\\dist\\");
  if (zip) return ".\\tillseal.cmd sample sale";
  return `node ${/[^\w./:\\-]/.test(script) ? `"${script}"` : script} sample sale`;
}
