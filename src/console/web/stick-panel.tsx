/**
 * Panel for the audit without internet: a stick carries sales to the tax authority, and carries the authority's
 * commands back.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { resultsOf } from "../../authority/stick-copy.js";
import { isUid } from "../../authority/stick-files.js";
import { Ask, type Question } from "./ask.js";
import { startAudit } from "./audit-start.js";
import {
  canUseFolders,
  chooseFolder,
  countsOf,
  exportTo,
  type Imported,
  importFrom,
  StickProblem,
  takeCommands,
  utf8Of,
} from "./stick.js";
import { StickNotice } from "./stick-notice.js";
import { type Say, type TextKey, useSpeech } from "./texts.js";
import { download, Panel, Problem, useAction } from "./ui.js";
import { type Permit, rememberPin, usePermit } from "./use-permit.js";

interface StickPanelProps {
  readonly title?: string;
  readonly about?: string;
  /** Content below `about`. */
  readonly more?: ComponentChildren;
  /** UID of the card whose sales are exported; undefined without a card. */
  readonly uid: string | undefined;
  /** Whether an export starts an audit of the card. */
  readonly starts: boolean;
  /** Whether the panel asks at once whether to export the sales. */
  readonly asks?: boolean;
  readonly changed: () => void;
  /**
   * Called after an import. `again` repeats the import, because commands that wait for a person's confirmation have no
   * results yet.
   */
  readonly imported?: (again: () => void) => void;
}

export function StickPanel({ title, about, more, uid, starts, asks = false, changed, imported }: StickPanelProps) {
  const { say } = useSpeech();
  const [question, setQuestion] = useState<Question>();
  const [notices, setNotices] = useState<readonly string[]>([]);
  const { busy, problem, run } = useAction(changed);
  const { permit, dialog } = usePermit();
  const files = useRef<HTMLInputElement>(null);
  const folders = canUseFolders();
  const act = (action: () => Promise<readonly string[]>) => {
    setNotices([]);
    run(async () => {
      try {
        setNotices(await action());
      } catch (error) {
        throw error instanceof StickProblem ? new Error(say(error.key, error.values)) : error;
      }
    });
  };
  const write = () =>
    act(async () => {
      const dir = await chooseFolder();
      if (!dir || uid === undefined) return [];
      const problem = starts ? await startAudit(say, true) : null;
      const { folder, packages, hasRequest, missing, needsKey } = await exportTo(dir, uid, permit);
      return [
        say(hasRequest ? "stickWritten" : "stickWrittenNoRequest", { folder, n: packages }),
        ...(problem === null ? [] : [problem]),
        ...(missing.length === 0 ? [] : [say(needsKey ? "stickNeedsKey" : "stickMissing", { n: missing.length })]),
      ];
    });
  const read = () =>
    act(async () => {
      const dir = await chooseFolder();
      return dir ? readFrom(dir, rememberPin(permit)) : [];
    });
  const readFrom = async (dir: FileSystemDirectoryHandle, withPin: Permit) => {
    const texts = importedTexts(await importFrom(dir, withPin), say);
    imported?.(() => act(() => readFrom(dir, withPin)));
    return texts;
  };
  const readFile = (file: File, withPin = rememberPin(permit)) =>
    act(async () => {
      const card = /^(.+)\.commands$/.exec(file.name)?.[1];
      if (card === undefined || !isUid(card)) throw new StickProblem("stickOtherName", { name: file.name });
      const taken = await takeCommands(card, utf8Of(file.name, await file.arrayBuffer()), withPin);
      download(`${card}.results`, new Blob([resultsOf(taken)]));
      imported?.(() => readFile(file, withPin));
      return [...importedTexts(countsOf(taken), say), say("stickResultsSaved", { name: `${card}.results` })];
    });
  const askWrite = () =>
    setQuestion({
      title: say("exportAsk"),
      means: say(starts ? "exportMeansStart" : "exportMeans"),
      answer: say("chooseFolder"),
      act: write,
    });
  const canExport = folders && uid !== undefined;
  useEffect(() => {
    if (!asks) return;
    // Remove `stick` from the address, so that the page does not ask again when the person goes back to it.
    history.replaceState(null, "", "#/audit");
    document.getElementById("stick")?.scrollIntoView();
    if (canExport) askWrite();
  }, [asks, canExport]);
  const askRead = () =>
    setQuestion({
      title: say("importAsk"),
      means: say("importMeans"),
      answer: say(folders ? "chooseFolder" : "chooseFile"),
      act: folders ? read : () => files.current?.click(),
    });
  return (
    <Panel title={title ?? say("withoutInternet")} id={title === undefined ? "stick" : undefined}>
      <p>{about ?? say("withoutInternetAbout")}</p>
      {more}
      <StickNotice carry={canExport ? askWrite : undefined} busy={busy} />
      {!folders && <p class="muted">{say("noFolders")}</p>}
      <div class="row" aria-busy={busy}>
        {folders && (
          <button type="button" disabled={busy || uid === undefined} onClick={askWrite}>
            {say("exportSales")}
          </button>
        )}
        <button type="button" disabled={busy} onClick={askRead}>
          {say("importCommands")}
        </button>
      </div>
      <input
        ref={files}
        class="unseen"
        type="file"
        tabIndex={-1}
        aria-label={say("chooseFile")}
        accept=".commands"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) readFile(file);
          currentTarget.value = "";
        }}
      />
      <div role="status">
        {notices.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      <Problem text={problem} />
      {question && <Ask question={question} closed={() => setQuestion(undefined)} />}
      {dialog}
    </Panel>
  );
}

const COMMAND_COUNTS = {
  executed: "commandsExecuted",
  earlier: "commandsEarlier",
  failed: "commandsFailed",
  held: "commandsHeld",
  waiting: "commandsWaiting",
  foreign: "commandsForeign",
} as const satisfies Record<keyof Imported, TextKey>;

function importedTexts(imported: Imported, say: Say): string[] {
  const names = Object.keys(COMMAND_COUNTS) as (keyof Imported)[];
  return names
    .filter((name) => name === "executed" || imported[name] > 0)
    .map((name) => say(COMMAND_COUNTS[name], { n: imported[name] }));
}
