// Runs in the page: does what a person does, and measures it.
//
// `drawn` is the moment just after a frame was drawn. Times are milliseconds,
// moments too, since 1970, so that they can be laid beside what others saw.
window.bench = (() => {
  const moment = () => performance.timeOrigin + performance.now();
  const frame = () => new Promise((done) => requestAnimationFrame(() => done(moment())));
  const one = (id, more = '') => document.querySelector(`[data-testid="${id}"]${more}`);
  const isLaid = (element) => element !== null && element.getClientRects().length > 0;

  function later(does) {
    const channel = new MessageChannel();
    channel.port1.onmessage = does;
    channel.port2.postMessage(0);
  }
  const drawn = () => new Promise((done) => requestAnimationFrame(() => later(() => done(moment()))));

  /** The moment just after the first frame in which it is so. */
  async function drawnOnce(isSo, what) {
    const began = moment();
    for (;;) {
      const looked = await new Promise((done) =>
        requestAnimationFrame(() => {
          if (isSo()) later(() => done(moment()));
          else done(null);
        }),
      );
      if (looked !== null) return looked;
      if (moment() - began > 25_000) throw new Error(`waited in vain: ${what}`);
    }
  }

  // Messages to ourselves, one after the other: whatever else the page does stands between two of them.
  let ticking = null;
  function ticks() {
    const run = { from: moment(), last: moment(), ticks: 0, frames: 0, gaps: [], frameGap: 0 };
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      const at = moment();
      run.ticks += 1;
      if (at - run.last > 8) run.gaps.push([run.last, at]);
      run.last = at;
      if (ticking === run) channel.port2.postMessage(0);
    };
    let lastFrame = moment();
    const count = () => {
      run.frames += 1;
      run.frameGap = Math.max(run.frameGap, moment() - lastFrame);
      lastFrame = moment();
      if (ticking === run) requestAnimationFrame(count);
    };
    ticking = run;
    requestAnimationFrame(count);
    channel.port2.postMessage(0);
  }
  function ticked() {
    const run = ticking;
    ticking = null;
    run.to = moment();
    // Where it came to no message at all the last one is long ago.
    run.gaps.push([run.last, run.to]);
    // There are very many small ones in minutes.
    run.gaps = run.gaps.sort((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, 300);
    return run;
  }

  const row = (name) => one('roster-group', `[data-name="${name}"]`) ?? one('roster-agent', `[data-name="${name}"]`);
  const list = () => one('transcript');
  const message = (seq) => list()?.querySelector(`[data-testid=message][data-seq="${seq}"]`) ?? null;
  function isInSight(element) {
    if (!isLaid(element)) return false;
    const [its, whole] = [element.getBoundingClientRect(), list().getBoundingClientRect()];
    return its.bottom > whole.top && its.top < whole.bottom;
  }
  const inSight = () => [...list().querySelectorAll('[data-testid=message]')].filter(isInSight);

  /** Goes to a conversation, whatever is shown in it. */
  async function go(name) {
    one('rail-conversations').click();
    await drawnOnce(() => row(name), `${name} is in the list`);
    row(name).click();
    await drawnOnce(() => one('group-page', `[data-group="${name}"]`) && isLaid(one('composer')), `${name} is open`);
  }

  /** From the click until its newest message is drawn. */
  async function open(name, newest) {
    const began = moment();
    row(name).click();
    return (await drawnOnce(() => isInSight(message(newest)), `message ${newest} of ${name} is in sight`)) - began;
  }

  const isAtEnd = () => list().scrollHeight - list().clientHeight - list().scrollTop < 2;

  /** A step a frame, until the first message is in sight or the end is reached, or the time is over. */
  async function scroll(step, { first = 0, seconds }) {
    const began = moment();
    const seen = new Set();
    let [empty, frames, still] = [0, 0, 0];
    while (moment() - began < seconds * 1000) {
      await frame();
      frames += 1;
      const now = inSight();
      if (now.length === 0) empty += 1;
      for (const shown of now) seen.add(shown.dataset.seq);
      still = step > 0 && isAtEnd() ? still + 1 : 0;
      if (still > 10 || (step < 0 && list().scrollTop <= 0 && isInSight(message(first)))) break;
      list().scrollTop += step;
    }
    const arrived = step > 0 ? still > 10 : isInSight(message(first));
    return { arrived, seconds: (moment() - began) / 1000, seen: seen.size, frames, empty };
  }

  // From the key to the next frame that has what it wrote.
  let keys = [];
  function listen() {
    keys = [];
    const composer = one('composer');
    composer.focus();
    composer.addEventListener(
      'keydown',
      (event) => {
        const now = performance.now();
        // Where the page was busy the key came before anybody heard of it.
        const came = event.timeStamp > 0 && event.timeStamp <= now ? event.timeStamp : now;
        const before = composer.value;
        const look = () => {
          if (composer.value !== before) keys.push(performance.now() - came);
          else if (performance.now() - came < 5000) requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      },
      { capture: true },
    );
  }
  const heard = () => keys;

  /** From the click in the rail until the page is drawn. */
  async function turnTo(page) {
    const began = moment();
    one(`rail-${page}`).click();
    const isThere = () => {
      const region = one(`page-${page}`);
      if (!isLaid(region)) return false;
      if (page === 'conversations') return isLaid(one('composer'));
      return isLaid(region.querySelector('h1, h2'));
    };
    return (await drawnOnce(isThere, `the page ${page} is there`)) - began;
  }
  const pages = () =>
    [...document.querySelectorAll('[data-testid^="rail-"]')]
      .filter((link) => link.matches('a'))
      .map((link) => link.dataset.testid.slice('rail-'.length));

  async function write(text) {
    const composer = one('composer');
    composer.focus();
    for (const letter of text) {
      document.execCommand('insertText', false, letter);
      await frame();
    }
    await drawn();
    return composer.value;
  }
  async function unwrite() {
    one('composer').focus();
    document.execCommand('selectAll');
    document.execCommand('delete');
    await drawn();
  }
  async function say(text) {
    await write(text);
    one('send').click();
    await drawn();
  }
  async function palette() {
    one('rail-search').click();
    await drawnOnce(() => isLaid(one('palette')), 'the palette is there');
    one('palette-find').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
    await drawn();
  }

  const writing = () => list()?.querySelectorAll('[data-testid=streaming]').length ?? 0;
  /** What the window has loaded so far: addresses of scripts and styles. */
  const loaded = () =>
    performance
      .getEntriesByType('resource')
      .map((entry) => entry.name)
      .filter((name) => /\.(js|css)$/.test(name));

  const does = { go, open, scroll, turnTo, write, unwrite, say, palette };
  let state = null;
  function begin(name, given) {
    state = null;
    does[name](...given).then(
      (value) => (state = { value: value ?? null }),
      (fault) => (state = { fault: String(fault) }),
    );
  }
  const over = () => state;

  return { begin, over, ticks, ticked, listen, heard, pages, writing, loaded };
})();
