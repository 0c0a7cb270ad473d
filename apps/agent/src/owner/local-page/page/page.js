/** The page: views of the agent come in every second, levers go out. */
import { refreshActivity, showActivity, startActivity } from './activity.js'
import { call, followViews } from './calls.js'
import { showLimits, startLimits } from './limits-form.js'
import { showGone, showNow } from './now.js'
import { language, speak, translate, word } from './words.js'

const part = (id) => document.getElementById(id)

/** Undefined before the first news. */
let last

function show(view) {
  last = view
  if (view === null) return showGone()
  showNow(view)
  showLimits(view.limits)
}

startLimits()
translate()
part('language').value = language
part('language').addEventListener('change', ({ target }) => {
  speak(target.value)
  if (last !== undefined) show(last)
  showActivity()
})

const LEVERS = { pause: 'pause', resume: 'resume', finish: 'finish', 'stop-yes': 'stop' }
for (const [id, lever] of Object.entries(LEVERS)) {
  part(id).addEventListener('click', () => void pull(lever))
}

async function pull(lever) {
  const hadFocus = document.activeElement
  part('stop-dialog').close()
  try {
    show(await call('POST', `/api/${lever}`))
    part('lever-notice').textContent = ''
    // The button that was pressed may be hidden now: its counterpart takes the focus over.
    if (hadFocus?.hidden) part(lever === 'pause' ? 'resume' : 'pause').focus()
  } catch (error) {
    part('lever-notice').textContent = error instanceof TypeError ? word('gone') : error.message
  }
}

part('stop').addEventListener('click', () => part('stop-dialog').showModal())
part('stop-keep').addEventListener('click', () => part('stop-dialog').close())

startActivity()
followViews((view) => {
  show(view)
  if (view !== null) refreshActivity()
})
