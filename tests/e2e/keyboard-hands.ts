/** Hands that have a keyboard and nothing else, and look at every stop whether they can see where they are. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** More than any screen has before what is looked for. */
const STOPS_MAX = 160
const PATIENCE_MS = 20_000
const LOOK_EVERY_MS = 50

/** Where the keys go to, in words, or why it cannot be seen. */
const STOP = `(() => {
  const element = document.activeElement
  const name = element.tagName.toLowerCase() + ' “' + (element.ariaLabel ?? element.textContent ?? '').trim().slice(0, 40) + '”'
  if (element === document.body || element.tagName === 'IFRAME') return { name, isSeen: true }
  // A box that is drawn by what stands around it has its ring there.
  const around = [element, element.parentElement, element.closest('label')].filter(Boolean)
  const isRinged = around.some((each) => {
    const look = getComputedStyle(each)
    const hasOutline = look.outlineStyle !== 'none' && Number.parseFloat(look.outlineWidth) > 0
    return hasOutline || look.boxShadow !== 'none' && each === element
  })
  const box = element.getBoundingClientRect()
  return { name, isSeen: isRinged && (box.width > 0 || element.closest('label') !== null) }
})()`

export class Hands {
  readonly page: Page
  /** Stops of the Tab key that showed nothing. */
  readonly unseen: string[] = []

  constructor(page: Page) {
    this.page = page
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key)
  }

  /** Over what stands in the field. */
  async write(text: string): Promise<void> {
    await this.press('ControlOrMeta+a')
    await this.page.keyboard.insertText(text)
  }

  async isAt(place: Locator): Promise<boolean> {
    if ((await place.count()) === 0) return false
    return place.first().evaluate((element) => {
      const { ownerDocument } = element as unknown as { ownerDocument: { activeElement: unknown } }
      return ownerDocument.activeElement === element
    })
  }

  /** Tab by Tab, forwards, until the keys go there. */
  async goTo(place: Locator): Promise<void> {
    await place.first().waitFor()
    for (let stops = 0; stops < STOPS_MAX; stops++) {
      if (await this.isAt(place)) return
      await this.press('Tab')
      await this.#see()
    }
    assert.fail(`no number of Tabs leads to ${String(place)}`)
  }

  async #see(): Promise<void> {
    const { name, isSeen } = await this.page.evaluate<{ name: string; isSeen: boolean }>(STOP)
    if (!isSeen) this.unseen.push(`${new URL(this.page.url()).pathname} ${name}`)
  }

  /** A button or a link. */
  async use(place: Locator): Promise<void> {
    await this.goTo(place)
    await this.press('Enter')
  }

  async fill(field: Locator, text: string): Promise<void> {
    await this.goTo(field)
    await this.write(text)
  }

  /** By the palette, with the whole name of a screen: the nearest that a keyboard has to an address. */
  async jump(name: string): Promise<void> {
    await this.#begin()
    await this.press('Control+k')
    await this.comesTo(this.page.locator('.palette [role=combobox]'))
    await this.write(name)
    await this.page.getByRole('option', { name }).first().waitFor()
    await this.press('Enter')
    await this.page.locator('.palette').waitFor({ state: 'detached' })
    // They go along when the screen has come, which is fetched first.
    await this.comesTo(this.page.locator('main'))
  }

  /** Past the areas, to the screen itself; the keys begin where they do after loading. */
  async skip(): Promise<void> {
    await this.#begin()
    await this.use(this.page.locator('a.skip'))
    await this.comesTo(this.page.locator('main'))
  }

  async #begin(): Promise<void> {
    await this.page.evaluate('document.body.tabIndex = -1, document.body.focus()')
  }

  /** Of what moves the keys by itself, as a dialog that closes does. */
  async comesTo(place: Locator): Promise<void> {
    const deadlineMs = performance.now() + PATIENCE_MS
    while (!(await this.isAt(place))) {
      assert.ok(performance.now() < deadlineMs, `the keys never went to ${String(place)}`)
      await this.page.waitForTimeout(LOOK_EVERY_MS)
    }
  }
}
