import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Button, Checkbox, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Select } from '../../components/choice.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { matchesText } from '../../components/list/list-match.ts'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { tell, tellWithWayBack } from '../../components/frame/toast-store.ts'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { SettingChanges } from './setting-changes.tsx'
import {
  differs,
  environmentOf,
  isLong,
  jsonOf,
  problemIn,
  textOf,
  valueIn,
} from './setting-form.ts'
import type { SettingView, SettingValue } from '../../api/station-api.ts'

const TOUCHED = ['settings', 'setting-changes']

export const ConfigScreen = permitted('settings:read', 'config.title', Config)

function Config() {
  const { t } = useTranslation()
  const query = useStation(['settings'], 'GET /settings')
  return (
    <>
      <h1>{t('config.title')}</h1>
      <p className="quiet">{t('config.lead')}</p>
      <Loaded query={query}>{(settings) => <Settings settings={settings} />}</Loaded>
      <SettingChanges />
    </>
  )
}

function Settings({ settings }: { settings: readonly SettingView[] }) {
  const { t } = useTranslation()
  const [text, setText] = useWord('q')
  const [isOther, setOther] = useWord('differs')
  const shown = settings.filter(
    (setting) =>
      (isOther === '' || differs(setting)) &&
      matchesText([setting.name, setting.about, t(`setting.${setting.name}.about`)], text),
  )
  return (
    <section className="card settings-list">
      <div className="list-tools" role="search">
        <input
          type="search"
          className="list-search"
          aria-label={t('config.search')}
          placeholder={t('config.search')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Checkbox isSelected={isOther !== ''} onChange={(is) => setOther(is ? 'yes' : '')}>
          <span className="box" aria-hidden="true" />
          {t('config.differs')}
        </Checkbox>
        <span className="list-rest">
          <CopyButton label={t('config.asEnvironment')} text={environmentOf(shown)} />
          <CopyButton label={t('config.asJson')} text={jsonOf(shown)} />
        </span>
      </div>
      <p className="quiet" role="status">
        {t('config.shown', { count: shown.length, of: settings.length })}
      </p>
      {shown.map((setting) => (
        // A changed value is shown, not what was typed before it.
        <SettingRow key={`${setting.name} ${textOf(setting.value)}`} setting={setting} />
      ))}
    </section>
  )
}

function CopyButton({ label, text }: { label: string; text: string }) {
  const { t } = useTranslation()
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => tell(t('copy.copied')),
      (error: unknown) => tell((error as Error).message, 'failure'),
    )
  return <Button onPress={copy}>{label}</Button>
}

const SOURCES: Record<SettingView['source'], StatusKind> = {
  default: 'quiet',
  file: 'info',
  environment: 'info',
  flag: 'info',
  changed: 'good',
}

function SettingRow({ setting }: { setting: SettingView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const { name, source, changedBy, changedAt } = setting
  const format = useFormat()
  return (
    <article aria-labelledby={`setting-${name}`}>
      <header>
        <h2 id={`setting-${name}`}>
          <code>{name}</code>
        </h2>
        <StatusBadge kind={SOURCES[source]} text={t(`config.source.${source}`)} />
      </header>
      <About setting={setting} />
      {changedAt === null ? null : (
        <p className="quiet">
          {t('config.changed', { who: changedBy ?? '–', time: format.moment(changedAt) })}
        </p>
      )}
      {may('settings:write') ? (
        <SettingForm setting={setting} />
      ) : (
        <p>
          <b>{textOf(setting.value) || t('config.none')}</b> {setting.unit}
        </p>
      )}
    </article>
  )
}

/** In the reader's language; in the station's own words when it knows a setting that the page does not. */
function About({ setting }: { setting: SettingView }) {
  const { t, i18n } = useTranslation()
  const { name } = setting
  if (!i18n.exists(`setting.${name}`)) {
    return (
      <p lang="en">
        {setting.about} <span className="quiet">{setting.holds}</span>
      </p>
    )
  }
  return (
    <>
      <p>{t(`setting.${name}.about`)}</p>
      <p className="quiet">{t('config.holds', { when: t(`setting.${name}.holds`) })}</p>
    </>
  )
}

function SettingForm({ setting }: { setting: SettingView }) {
  const { t } = useTranslation()
  const [text, setText] = useState(textOf(setting.value))
  const [note, setNote] = useState('')
  const change = useChange(changeSetting, TOUCHED)
  const back = useChange(changeSetting, TOUCHED)
  const reset = useChange(async () => {
    await station('DELETE /settings/{name}', { params: { name: setting.name } })
    const { name, value } = setting
    tellWithWayBack(t('config.wasReset', { name }), () => back.mutate({ name, value, note: '' }))
  }, TOUCHED)
  const isChanged = text.trim() !== textOf(setting.value)
  const problem = isChanged ? problemIn(text, setting) : null
  const send = (event: FormEvent): void => {
    event.preventDefault()
    const value = valueIn(text, setting)
    if (isChanged && problem === null)
      change.mutate({ name: setting.name, value, note: note.trim() })
  }
  return (
    <Form onSubmit={send} validationBehavior="aria" className="form inline">
      <SettingInput setting={setting} text={text} onChange={setText} />
      {isChanged ? <Field label={t('config.note')} value={note} onChange={setNote} /> : null}
      {isChanged ? (
        <Button type="submit" className="primary" isDisabled={change.isPending || problem !== null}>
          {t('config.set')}
        </Button>
      ) : null}
      {setting.source === 'changed' && !isChanged ? (
        <Button isDisabled={reset.isPending} onPress={() => reset.mutate(undefined)}>
          {t('config.reset', { value: textOf(setting.default) || t('config.none') })}
        </Button>
      ) : null}
      <Failure error={change.error ?? reset.error} />
    </Form>
  )
}

interface SettingInputProps {
  setting: SettingView
  text: string
  onChange: (text: string) => void
}

function SettingInput({ setting, text, onChange }: SettingInputProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { name, choices, unit, min, max } = setting
  const problem = problemIn(text, setting)
  if (choices !== null) {
    return (
      <Select
        label={name}
        value={text}
        onChange={onChange}
        options={choices.map((choice) => [choice, choice])}
      />
    )
  }
  const range =
    min === null || max === null
      ? ''
      : t('config.range', { min: format.count(min), max: format.count(max) })
  return (
    <Field
      label={unit === null ? name : `${name} (${unit})`}
      value={text}
      onChange={onChange}
      help={range}
      problem={problem === null ? undefined : t(`config.problem.${problem}`)}
      {...(isLong(setting) ? { rows: 8 } : { inputMode: 'decimal' as const, isShort: true })}
    />
  )
}

const changeSetting = (change: {
  name: string
  value: SettingValue
  note: string
}): Promise<SettingView[]> =>
  station('PATCH /settings', {
    body: { [change.name]: change.value, ...(change.note === '' ? {} : { note: change.note }) },
  })

/** One word of the address, such as `?differs=yes`, for what is chosen on a screen without a list. */
function useWord(name: string): [string, (word: string) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const word = search[name]
  return [
    typeof word === 'string' ? word : '',
    (next) =>
      void navigate({
        to: '.',
        search: ((former: object) => ({ ...former, [name]: next })) as never,
        replace: true,
        resetScroll: false,
      }),
  ]
}
