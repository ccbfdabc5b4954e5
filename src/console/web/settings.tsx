/** The page Settings. The service checks and saves settings; they apply after a restart that the user asks for. */
import { useEffect, useState } from "preact/hooks";
import type { InfoRecord } from "../records/info.js";
import type {
  ConsoleSection,
  RestartRecord,
  SettingRecord,
  SettingsRecord,
  SettingsRefusal,
} from "../records/settings.js";
import { call, Refused, useLive } from "./api.js";
import { BackupFolder } from "./backup-folder.js";
import { Locked } from "./locked.js";
import { Manuals } from "./manuals.js";
import { permitted } from "./permitted.js";
import { PinField } from "./pin-field.js";
import { Setting } from "./setting.js";
import { type TextKey, useSpeech } from "./texts.js";
import { Problem, useAction, Waiting } from "./ui.js";

/** Values that are typed and not saved yet, by setting. */
type Changes = Readonly<Record<string, unknown>>;

let unsaved: Changes = {};

/** Keeps changes that are not saved yet while another page is shown. */
function useChanges(): [Changes, (changes: Changes) => void] {
  const [changes, setChanges] = useState(unsaved);
  return [
    changes,
    (changed) => {
      unsaved = changed;
      setChanges(changed);
    },
  ];
}

interface SettingsPageProps {
  readonly info: InfoRecord;
  /** Called when the service has accepted the console's token, so that the caller may see more. */
  readonly opened: () => void;
}

/** The sections in the order of the page. */
const SECTION_TITLES = {
  contact: "settingsContact",
  backups: "settingsBackups",
  listen: "settingsListen",
  receipts: "receipts",
  tills: "settingsTills",
} as const satisfies Readonly<Record<ConsoleSection, TextKey>>;

function sectionsOf(settings: readonly SettingRecord[]): readonly (readonly [TextKey, readonly SettingRecord[]])[] {
  return Object.entries(SECTION_TITLES).map(([section, title]) => [
    title,
    settings.filter((setting) => setting.section === section),
  ]);
}

export function SettingsPage({ info, opened }: SettingsPageProps) {
  const { trusted } = info;
  const [changes, setChanges] = useChanges();
  const speech = useSpeech();
  const { say, setting: named } = speech;
  const [pin, setPin] = useState("");
  const { value: record, error, refresh } = useLive<SettingsRecord>(trusted ? "/console/settings" : undefined);
  const [refused, setRefused] = useState<SettingsRefusal["settings"]>({});
  const [saved, setSaved] = useState(false);
  const { busy, problem, run } = useAction(refresh);
  useEffect(() => {
    if (Object.keys(refused).length > 0) document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refused]);
  if (!trusted) return <Locked info={info} opened={opened} />;
  if (!record) return <Waiting title={say("settings")} problem={error?.message} />;
  const { file, settings, waiting, failed } = record;
  const undo = () => {
    setChanges({});
    setRefused({});
  };
  const save = (event: Event) => {
    event.preventDefault();
    setRefused({});
    setSaved(false);
    run(async () => {
      try {
        const body = info.asksPin ? { ...changes, pin } : changes;
        setPin("");
        await permitted(speech, () => call("/console/settings", { method: "PUT", body }));
        setChanges({});
        setSaved(true);
      } catch (reason) {
        // Each refused setting shows its own problem.
        if (!(reason instanceof Refused && isRefusal(reason.body))) throw reason;
        setRefused(reason.body.settings);
        const byName = Object.keys(reason.body.settings).length > 0;
        throw byName ? new Error(say("nothingSaved")) : reason;
      }
    });
  };
  return (
    <form class="panel settings" onSubmit={save} noValidate>
      <h1>{say("settings")}</h1>
      <p class="file">{file === null ? say("settingsNotKept") : say("settingsKept", { file })}</p>
      <div class="sections">
        {sectionsOf(settings).map(([title, section]) => (
          <section key={title} aria-label={say(title)}>
            <h2>{say(title)}</h2>
            {section.map((setting) => (
              <Setting
                key={setting.name}
                setting={setting}
                changed={changes[setting.name]}
                problem={refused[setting.name]}
                off={file === null || setting.overruledBy !== null}
                change={(value) => setChanges({ ...changes, [setting.name]: value })}
              />
            ))}
            {title === "settingsBackups" && <BackupFolder folder={record.backupFolder} />}
          </section>
        ))}
      </div>
      {info.asksPin && Object.keys(changes).length > 0 && (
        <p>
          <label for="settings-pin">{say("settingsPin")}</label>{" "}
          <PinField id="settings-pin" value={pin} change={setPin} />
        </p>
      )}
      <Problem text={problem} />
      <div class="row">
        <button type="submit" class="main" disabled={busy || Object.keys(changes).length === 0}>
          {say("save")}
        </button>
        {Object.keys(changes).length > 0 && (
          <button type="button" disabled={busy} onClick={undo}>
            {say("undo")}
          </button>
        )}
        <p role="status" class="muted">
          {saved && say("saved")}
        </p>
      </div>
      <p>
        <a href="#/doctor">{say("openDoctor")}</a> · <a href="#/help">{say("help")}</a>
      </p>
      <Manuals />
      {failed !== null && <p class="notice bad">{say("restartFailed", { reason: failed })}</p>}
      {waiting.length > 0 && (
        <Restart waiting={waiting.map((name) => named(name, name).title)} asksPin={info.asksPin} />
      )}
    </form>
  );
}

function isRefusal(body: unknown): body is SettingsRefusal {
  return typeof body === "object" && body !== null && "settings" in body;
}

function Restart({ waiting, asksPin }: { readonly waiting: readonly string[]; readonly asksPin: boolean }) {
  const speech = useSpeech();
  const { say } = speech;
  const [pin, setPin] = useState("");
  const { busy, problem, run } = useAction();
  const restart = async () => {
    const body = asksPin ? { pin } : {};
    setPin("");
    const { url } = await permitted(speech, () => call<RestartRecord>("/console/restart", { method: "POST", body }));
    await moveTo(url);
  };
  return (
    <div class="notice care">
      <p>{say("waitsForRestart", { names: waiting.join(", ") })}</p>
      {asksPin && (
        <p>
          <label for="restart-pin">{say("settingsPin")}</label>{" "}
          <PinField id="restart-pin" value={pin} change={setPin} />
        </p>
      )}
      <button type="button" class="main" disabled={busy} onClick={() => run(restart)}>
        {say("restartService")}
      </button>
      <p role="status">{busy && say("restarting")}</p>
      <Problem text={problem} />
    </div>
  );
}

/** Before it restarts, the service finishes open answers, and a card is slow. */
const RESTART_LIMIT_MS = 60_000;
const RESTART_CHECK_INTERVAL_MS = 250;

/**
 * Opens the service's new address when the service answers there. The page stays if the service started with its old
 * settings.
 */
async function moveTo(url: string): Promise<void> {
  const there = new URL(url);
  // Keep the browser's name for this machine, because the service may use another name.
  if (isLoopback(there.hostname)) there.hostname = location.hostname;
  if (there.origin === location.origin) return;
  for (let waited = 0; waited < RESTART_LIMIT_MS; waited += RESTART_CHECK_INTERVAL_MS) {
    await new Promise((resolve) => setTimeout(resolve, RESTART_CHECK_INTERVAL_MS));
    if (await answers(there.origin)) {
      location.href = `${there.origin}/${location.hash}`;
      return;
    }
    const here = await call<SettingsRecord>("/console/settings").catch(() => undefined);
    if (here && here.failed !== null) return;
  }
}

/**
 * Whether a service answers at an origin. A page cannot read the answer of another origin, but it can see that an
 * answer arrives.
 */
async function answers(origin: string): Promise<boolean> {
  try {
    await fetch(`${origin}/console/info`, { mode: "no-cors", cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
