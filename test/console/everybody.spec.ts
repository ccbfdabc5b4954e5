/** Accessibility: three languages, keyboard only, screen readers, dark colours, phones. */
import { expect, open, scenarioFlags, seriousInAllColours, seriousOn, test } from "./till.js";

const PAGES = ["till", "receipts/1", "report", "audit", "traffic", "card", "settings", "doctor", "help"];

test("the console speaks English and Serbian in both scripts, and remembers the choice", async ({ page, till }) => {
  await open(page, till);
  await page.getByRole("combobox", { name: "Language", exact: true }).selectOption("Српски");
  await expect(page.locator(".verdict")).toHaveText("Картица чека ПИН.");
  await expect(page.locator("html")).toHaveAttribute("lang", "sr-Cyrl");
  await page.getByRole("combobox", { name: "Језик", exact: true }).selectOption("Srpski");
  await expect(page.locator(".verdict")).toHaveText("Kartica čeka PIN.");
  await page.reload();
  await expect(page.locator(".verdict")).toHaveText("Kartica čeka PIN.");
  await page.getByRole("combobox", { name: "Jezik", exact: true }).selectOption("English");
  await expect(page.locator(".verdict")).toHaveText("The card waits for its PIN.");
});

test("the console shows faults, situations and the card's problems in Serbian", async ({ page, till }) => {
  await open(page, till);
  const reason = page.locator(".reason");
  await page.getByRole("combobox", { name: "Language", exact: true }).selectOption("Srpski");
  await till.act("POST", "/do", { card: "remove" });
  await expect(reason).toHaveText("Čitač kartica je prazan.");
  await till.act("POST", "/do", { card: "unplug" });
  await expect(reason).toHaveText("Emulirani čitač je isključen.");
  await open(page, till, "card");
  await page.getByRole("combobox", { name: "Šta", exact: true }).selectOption("diskFull");
  await expect(page.getByText("disk je pun")).toBeVisible();
  await page.getByRole("button", { name: "Dodaj kvar" }).click();
  await expect(page.getByRole("button", { name: "Ukloni: Pun disk (diskFull)" })).toBeVisible();
  await page.getByLabel("Pretraga").fill("zaključana");
  await page.getByRole("button", { name: "Pokreni: Zaključana kartica na svaki PIN odgovara 2110" }).click();
  await expect(page.getByText("Pokrenuto: Zaključana kartica")).toBeVisible();
});

test("the console says each line of the doctor in Serbian", async ({ page, till }) => {
  await till.pin();
  await open(page, till, "doctor");
  await page.getByRole("combobox", { name: "Language", exact: true }).selectOption("Srpski");
  const line = (name: string) => page.locator(".doctor li").filter({ has: page.getByRole("heading", { name }) });
  await expect(line("Skladište računa")).toContainText("u memoriji");
  await expect(line("Disk")).toContainText("MiB slobodno");
  await expect(line("Poreska uprava")).toContainText("odgovorila je u ");
  await expect(page.locator(".doctor [lang=en]")).toHaveCount(0);
});

test("the console starts in the language that the browser prefers, or in English", async ({ browser, till }) => {
  for (const [locale, sentence] of [
    ["sr-Latn-RS", "Kartica čeka PIN."],
    ["sr-RS", "Картица чека ПИН."],
    ["de-DE", "The card waits for its PIN."],
  ] as const) {
    const page = await browser.newPage({ locale });
    await open(page, till);
    await expect(page.locator(".verdict")).toHaveText(sentence);
    await page.close();
  }
});

test("everything works with the keyboard only", async ({ page, till }) => {
  await open(page, till);
  const tabTo = async (wanted: RegExp) => {
    for (let tries = 0; tries < 80; tries++) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.innerText");
      if (wanted.test(name)) return;
    }
    throw new Error(`no way to ${wanted} with the Tab key`);
  };
  await tabTo(/^Skip/);
  await page.keyboard.press("Enter");
  // The banner's code is a link in front of the field.
  await tabTo(/^1500/);
  await page.keyboard.press("Tab");
  await page.keyboard.type("1234");
  await page.keyboard.press("Enter");
  await expect(page.locator(".verdict")).toHaveText("Ready to sell.");
  await till.sell();
  await page.reload();
  await tabTo(/^TESTCARD-TESTCARD-1/);
  await page.keyboard.press("Enter");
  await expect(page.locator(".paper")).toBeVisible();
  await tabTo(/^Other forms/);
  await page.keyboard.press("Enter");
  await tabTo(/^PNG 58/);
  const saved = page.waitForEvent("download");
  await page.keyboard.press("Space");
  await saved;
  await page.reload();
  await tabTo(/^Card/);
  await page.keyboard.press("Enter");
  await tabTo(/^Remove/);
  await page.keyboard.press("Space");
  await expect(page.locator(".verdict")).toHaveText("There is no card in the reader.");
});

test("no page has a serious accessibility problem, in light colours and in dark ones", async ({ page, start }) => {
  // Ten pages, one of them with every code.
  test.slow();
  // The requests of a shared till have other numbers.
  const till = await start([]);
  await till.pin();
  await till.sell();
  await till.act("POST", "/do", { faults: [{ on: "connect", kind: "latency", duration: "1ms" }] });
  for (const name of [...PAGES, "traffic/2"]) {
    await open(page, till, name);
    if (name === "traffic/2") await expect(page.locator(".entry")).toBeVisible();
    if (name === "traffic/2") await page.locator("summary").evaluateAll((all) => all.map((it) => it.click()));
    expect(await seriousInAllColours(page), name).toEqual([]);
  }
});

/** What stops a till, and what the page then says. */
const STOPPED = [
  [{ card: { pinTriesLeft: 0 } }, "Картица је трајно закључана."],
  [{ card: { inserted: false } }, "У читачу нема картице."],
  [{ environment: "none", card: { pinVerified: true } }, "Још нема пореских стопа."],
  [{ card: { pinTries: 3 } }, "Картица чека ПИН."],
] as const;

test.describe("in Serbian", () => {
  test.use({ locale: "sr-Cyrl-RS" });
  test("the till has no serious accessibility problem, whatever stops it", async ({ page, till }) => {
    for (const [given, verdict] of STOPPED) {
      await till.act("POST", "/given", given);
      await open(page, till);
      await expect(page.locator(".verdict")).toHaveText(verdict);
      expect(await seriousOn(page), verdict).toEqual([]);
    }
  });
});

test("a visitor without access to receipts sees the reason instead of an empty list", async ({ page, till }) => {
  await page.route("**/console/info", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), trusted: false } });
  });
  await open(page, till);
  await expect(page.getByText("There are no receipts.")).toHaveCount(0);
  for (const name of ["receipts", "settings"]) {
    await open(page, till, name);
    await expect(page.getByText("Receipts, reports and settings are only shown on the machine itself.")).toBeVisible();
  }
});

test("closing a page stops nothing", async ({ page, till }) => {
  await till.pin();
  await open(page, till);
  await page.close();
  expect(await till.sell()).toMatchObject({ totalCounter: 1 });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });
  test("nothing is wider than the screen, and a receipt replaces the list", async ({ page, till }) => {
    await till.pin();
    await till.sell({}, { RequestId: "a-request-id-of-32-characters-xx" });
    for (const name of PAGES) {
      await open(page, till, name);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect({ name, width }).toEqual({ name, width: 360 });
    }
    await page.getByRole("combobox", { name: "Language", exact: true }).selectOption("Српски");
    const cut = await page
      .locator("nav a")
      .evaluateAll((links) => links.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
    expect(cut).toBe(0);
    await page.getByRole("combobox", { name: "Језик", exact: true }).selectOption("English");
    await open(page, till, "receipts");
    await page.getByRole("link", { name: "TESTCARD-TESTCARD-1" }).tap();
    await expect(page.locator(".paper")).toBeVisible();
    await expect(page.getByLabel("Search")).toBeHidden();
    await page.getByRole("link", { name: "Back" }).tap();
    await expect(page.getByLabel("Search")).toBeVisible();
  });
});

const LONG = "ДРУШТВО ЗА ПРОМЕТ И УСЛУГЕ СУНЧЕВ БРЕГ 22";
const WIDE_CARD = { limit: "900000000000", taxpayer: { businessName: LONG, locationName: LONG, address: LONG } };
const EVERY_PAGE = [...PAGES, "receipts", "traffic/3", "rehearsal"];

/** Tables beside their panels, pages beside their screens, and heads of more than three lines. */
const TOO_LARGE = `(() => {
  const wrong = [];
  const needed = document.documentElement.scrollWidth;
  if (needed > innerWidth) wrong.push("the page has " + needed);
  for (const table of document.querySelectorAll("table")) {
    const [inner, outer] = [table, table.closest(".panel")].map((it) => it.getBoundingClientRect());
    if (inner.right > outer.right) wrong.push(table.className + " ends at " + inner.right + ", its panel at " + outer.right);
    for (const head of table.querySelectorAll("thead:not(.unseen) th, caption")) {
      const { lineHeight, paddingTop } = getComputedStyle(head);
      const lines = (head.clientHeight - 2 * parseFloat(paddingTop)) / parseFloat(lineHeight);
      if (lines > 3.1) wrong.push(table.className + ": the head " + head.innerText + " has lines: " + lines);
    }
  }
  return wrong;
})()`;

test.describe("on the day of a new card, with large amounts and long names", () => {
  const given = JSON.stringify({ card: WIDE_CARD, otherCards: { other: { ...WIDE_CARD, uid: "WWWWWWWW" } } });
  test.use({ flags: scenarioFlags(given) });
  test("no page is wider than the screen, no table than its panel, and no head has more than three lines", async ({
    page,
    till,
  }) => {
    const amount = 123_456_789.99;
    const items = [{ name: LONG, quantity: 1, unitPrice: amount, labels: ["A"], totalAmount: amount }];
    const sell = (n: number) =>
      till.sell({ cashier: LONG, items, payment: [{ amount, paymentType: "Cash" }] }, { RequestId: `${n}`.repeat(32) });
    await till.pin();
    for (const n of [1, 2]) await sell(n);
    await till.act("POST", "/do", { card: { swap: "other" } });
    await till.pin();
    for (const n of [3, 4]) await sell(n);
    await open(page, till);
    await expect(page.locator(".receipts.brief tbody a")).toHaveText(["2", "1", "2", "1"]);
    await expect(page.locator(".receipts.brief .of-card")).toHaveCount(2);
    const wrong: unknown[] = [];
    for (const name of EVERY_PAGE) {
      await open(page, till, name);
      for (const language of ["en", "sr-Cyrl"]) {
        await page.locator(".language select").selectOption(language);
        for (const width of [1920, 1440, 1200, 1024, 768, 390]) {
          await page.setViewportSize({ width, height: 900 });
          const found = await page.evaluate<string[]>(TOO_LARGE);
          if (found.length > 0) wrong.push([name, language, width, ...found]);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** Addresses of which a page has to wait for its content. */
const AWAITED = [
  ["till", "**/console/till", "Till"],
  ["receipts/1", "**/console/receipts/1", "Receipts"],
  ["audit", "**/console/audit", "Audit"],
  ["settings", "**/console/settings", "Settings"],
  ["doctor", "**/console/doctor", "Doctor"],
  ["help", "**/console/help", "What a code means"],
  ["card", "**/control/card", "Card"],
  ["rehearsal", "**/control/rehearsal", "Rehearsal"],
  ["rehearsal", "**/console/info", "Rehearsal"],
] as const;

test("a page shows its title and a skeleton until its content is there", async ({ page, till }) => {
  await till.pin();
  await till.sell();
  for (const [name, address, title] of AWAITED) {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(address, (route) => held.then(() => route.continue()));
    await page.goto("about:blank");
    await page.goto(`${till.url}/#/${name}`);
    await expect(page.getByRole("heading", { name: title, exact: true }), address).toBeVisible();
    await expect(page.locator(".skeleton"), address).toBeVisible();
    answer();
    await expect(page.locator(".skeleton"), address).toHaveCount(0);
    await page.unroute(address);
  }
});

test("an address of no page says so, above the page Till", async ({ page, till }) => {
  await open(page, till, "recepits");
  await expect(page.getByText("There is no page recepits. This is the page Till.")).toBeVisible();
  await expect(page.locator(".verdict")).toBeVisible();
});

test("nothing is cut off between phone and desktop width, in the longest language", async ({ page, till }) => {
  await open(page, till);
  await page.getByRole("combobox", { name: "Language", exact: true }).selectOption("Српски");
  for (const width of [641, 700, 768, 830, 870, 1024, 1090, 1170]) {
    await page.setViewportSize({ width, height: 800 });
    const needed = await page.evaluate<number>("document.documentElement.scrollWidth");
    const [nav, room] = await page
      .locator("nav")
      .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    const choice = await page.getByRole("combobox", { name: "Језик", exact: true }).boundingBox();
    const right = (choice?.x ?? 0) + (choice?.width ?? 0);
    expect({ width, needed, nav, inside: right <= width }).toEqual({ width, needed: width, nav: room, inside: true });
  }
});

test("the console loads nothing from other hosts, and the policy forbids it", async ({ page, till }) => {
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  const answer = await page.goto(`${till.url}/`);
  const policy = answer?.headers()["content-security-policy"] ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toContain("unsafe");
  for (const name of PAGES) await open(page, till, name);
  const own = [till.url, till.control].map((url) => new URL(url).host);
  expect([...hosts].filter((host) => !own.includes(host))).toEqual([]);
});
