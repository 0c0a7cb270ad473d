/** Acts on the station: its settings, what it removes for good, its secrets, and its federation. */
import type { ChangeSettings, SettingsChanged } from '@minga/frontier'
import type { AskTakedown } from '../../archive/takedown/takedown-rows.ts'
import type { By } from './account-acts.ts'
import type { EntriesOf } from './audited-operations.ts'

type Args<T> = T & By & { now: number }

const changeSettings: EntriesOf<ChangeSettings, SettingsChanged> = ({ by, now }, { changes }) =>
  changes.map(({ name, before, after }) => {
    return { at: now, actor: by, act: 'setting:changed', subject: name, details: { before, after } }
  })

/** Captures by their numbers: an address that was taken down must not come back here. */
const askTakedown: EntriesOf<AskTakedown, number> = (args, records) => {
  if (records === 0) return []
  const { now, by, captureIds, isBlocked, reason } = args
  const details = { records, isBlocked, reason }
  const subject = `captures ${captureIds.join(' ')}`
  return [{ at: now, actor: by, act: 'takedown:requested', subject, details }]
}

/** All that is encrypted in the database has another key: at the first start, and after each rotation. */
const writeSecretRows: EntriesOf<Args<{ keyId: string }>, void> = ({ now, by = null, keyId }) => [
  { at: now, actor: by, act: 'secrets:rotated', subject: keyId, details: {} },
]

const retireTokens: EntriesOf<Args<{ until: number }>, void> = ({ now, by = null, until }) => [
  {
    at: now,
    actor: by,
    act: 'secrets:tokens-retired',
    subject: 'station.json',
    details: { until },
  },
]

interface WikiSecret {
  api: string
}

const putWikiToken: EntriesOf<Args<WikiSecret & { token: string | null }>, void> = (args) => {
  const { now, by = null, api, token } = args
  return [
    { at: now, actor: by, act: 'wiki:token', subject: api, details: { isSet: token !== null } },
  ]
}

const putWikiLogIn: EntriesOf<Args<WikiSecret & { logIn: object | null }>, void> = (args) => {
  const { now, by = null, api, logIn } = args
  const details = { isSet: logIn !== null }
  return [{ at: now, actor: by, act: 'wiki:log-in', subject: api, details }]
}

const setWatchHook: EntriesOf<Args<{ id: number }>, void> = ({ now, by = null, id }) => [
  { at: now, actor: by, act: 'watch-hook:made', subject: String(id), details: {} },
]

const dropWatchHook: EntriesOf<Args<{ id: number }>, void> = ({ now, by = null, id }) => [
  { at: now, actor: by, act: 'watch-hook:removed', subject: String(id), details: {} },
]

const enterFederation: EntriesOf<Args<{ self: string; registrar: string; term: number }>, void> = (
  args,
) => {
  const { now, by = null, self, registrar, term } = args
  const act = self === registrar ? 'federation:founded' : 'federation:joined'
  return [{ at: now, actor: by, act, subject: registrar, details: { self, term } }]
}

const leaveFederation: EntriesOf<Args<object>, void> = ({ now, by = null }) => [
  { at: now, actor: by, act: 'federation:left', subject: 'federation', details: {} },
]

const inviteStation: EntriesOf<Args<object>, { expiresAt: number }> = (
  { now, by = null },
  { expiresAt },
) => [
  { at: now, actor: by, act: 'federation:invited', subject: 'federation', details: { expiresAt } },
]

const admitStation: EntriesOf<Args<{ station: { id: string; url: string } }>, unknown> = ({
  now,
  station: { id, url },
}) => [{ at: now, actor: null, act: 'federation:admitted', subject: id, details: { url } }]

const dismissStation: EntriesOf<Args<{ id: string }>, void> = ({ now, id }) => [
  { at: now, actor: null, act: 'federation:dismissed', subject: id, details: {} },
]

const promoteStation: EntriesOf<Args<{ self: string }>, { term: number }> = (
  { now, by = null, self },
  { term },
) => [{ at: now, actor: by, act: 'federation:promoted', subject: self, details: { term } }]

/** Facts that an operator sets by name, such as the mode of the federation; others say no `by`. */
const writeFact: EntriesOf<
  { name: string; value: string; act?: { by: string; now: number } },
  void
> = ({ name, value, act }) =>
  act === undefined
    ? []
    : [{ at: act.now, actor: act.by, act: 'federation:changed', subject: name, details: { value } }]

export const stationActs = {
  changeSettings,
  askTakedown,
  writeSecretRows,
  retireTokens,
  putWikiToken,
  putWikiLogIn,
  setWatchHook,
  dropWatchHook,
  enterFederation,
  leaveFederation,
  inviteStation,
  admitStation,
  dismissStation,
  promoteStation,
  writeFact,
}
