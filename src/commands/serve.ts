/** `tillseal serve`: the service, on an emulated card or a real one. */
import { spawn } from "node:child_process";
import { Command } from "commander";
import { HAS_EMULATOR } from "../base/edition.js";
import { API_PREFIX } from "../http/endpoints.js";
import { nearby } from "../http/listen.js";
import { endProcess, onEndSignal } from "./ending.js";
import { addSettingFlags, configFrom } from "./flags.js";
import { explainFailure } from "./output.js";
import type { Running, Starting } from "./running.js";
import { welcome } from "./welcome.js";

export function serveCommand(): Command {
  const command = new Command("serve").description("run the service").option("--open", "open the console in a browser");
  command.option("--until-stdin-ends", "end when standard input ends: a test that is killed takes its service with it");
  addSettingFlags(command);
  if (HAS_EMULATOR) command.option("--no-authority", "run without the emulated tax authority (--authority false)");
  return command.action(async (flags: Record<string, unknown>) => {
    const config = configFrom(flags);
    const starting: Starting = {
      load: () => configFrom(flags),
      gaveUp: (error) => process.exit(explainFailure(error)),
      listens: (url) => void process.stdout.write(`tillseal listens on ${url}${API_PREFIX}\n`),
      stop: () => void started.then(end),
    };
    const emulated = config.settings.card === "emulator";
    const started = emulated
      ? import("./serve-emulator.js").then(({ serveEmulator }) => serveEmulator(config, starting))
      : import("./serve-card.js").then(({ serveCard }) => serveCard(config, starting));
    const running = await started;
    onEndSignal(() => end(running));
    if (flags.untilStdinEnds) process.stdin.on("end", () => end(running)).resume();
    process.stdout.write(welcome(running));
    if (flags.open) {
      const page = nearby(running.url);
      openBrowser(page, () => process.stderr.write(`tillseal: no browser could be started; open ${page} yourself\n`));
    }
  });
}

function end({ stop, stuck }: Running): void {
  stop().then(
    () => endProcess(0, stuck()),
    (error: unknown) => endProcess(explainFailure(error), stuck()),
  );
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // `start` takes its first quoted argument as a window title: pass an empty one.
  win32: ["cmd", "/c", "start", ""],
};

/** Opens a page in the user's preferred browser. @param failed called if no program on this machine opens pages */
function openBrowser(url: string, failed: () => void): void {
  const [command, ...before] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...before, url], { stdio: "ignore", detached: true });
  opener.once("error", failed);
  opener.once("exit", (status) => status !== 0 && failed());
  opener.unref();
}
