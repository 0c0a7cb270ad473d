import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { changeSetting, readChanges, readSettings, resetSetting } from '../../api/settings.ts'
import type { SettingChangeView, SettingView } from '@minga/protocol'
import { DataTable } from '../../parts/data-table.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark, type MarkKind } from '../../parts/mark.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { useMe } from '../../people/use-me.ts'
import { isLong, textOf, valueIn } from './setting-form.ts'

const TOUCHED = ['settings', 'setting-changes']
const ROWS = 50

export function ConfigScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="settings:read" title={t('config.title')}>
      <Config />
    </ForThoseWho>
  )
}

function Config() {
  const { t } = useTranslation()
  const query = useQuery({ queryKey: ['settings'], queryFn: readSettings })
  return (
    <>
      <h1>{t('config.title')}</h1>
      <p className="quiet">{t('config.lead')}</p>
      <section className="card settings-list">
        <Loaded query={query}>
          {(settings) =>
            settings.map((setting) => (
              // A changed value is shown, not what was typed before it.
              <SettingRow key={`${setting.name} ${textOf(setting.value)}`} setting={setting} />
            ))
          }
        </Loaded>
      </section>
      <Changes />
    </>
  )
}

const SOURCES: Record<SettingView['source'], MarkKind> = {
  default: 'quiet',
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
        <Mark kind={SOURCES[source]} text={t(`config.source.${source}`)} />
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
  const reset = useChange(() => resetSetting(setting.name), TOUCHED)
  const isChanged = text.trim() !== textOf(setting.value)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    const value = valueIn(text, setting)
    if (isChanged) change.mutate({ name: setting.name, value, note: note.trim() })
  }
  return (
    <Form onSubmit={send} validationBehavior="aria" className="form inline">
      <SettingInput setting={setting} text={text} onChange={setText} />
      {isChanged ? <Field label={t('config.note')} value={note} onChange={setNote} /> : null}
      {isChanged ? (
        <Button type="submit" className="primary" isDisabled={change.isPending}>
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
  if (choices !== null) {
    return (
      <label className="choice">
        <b>{name}</b>
        <select value={text} onChange={(event) => onChange(event.target.value)}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      </label>
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
      {...(isLong(setting) ? { rows: 8 } : { inputMode: 'decimal' as const, isShort: true })}
    />
  )
}

function Changes() {
  const { t } = useTranslation()
  const format = useFormat()
  const pages = usePages<SettingChangeView, number>({
    key: ['setting-changes'],
    rows: ROWS,
    read: readChanges,
    cursorOf: ({ no }) => no,
  })
  return (
    <section className="card">
      <h2>{t('config.trail')}</h2>
      <Loaded query={pages.query}>
        {(changes) =>
          changes.length === 0 ? (
            <p className="quiet">{t('config.noChanges')}</p>
          ) : (
            <DataTable
              caption={t('config.trail')}
              rows={changes}
              keyOf={({ no }) => no}
              columns={[
                { label: t('captures.when'), cell: ({ at }) => format.moment(at) },
                { label: t('config.setting'), cell: ({ name }) => <code>{name}</code> },
                {
                  label: t('config.before'),
                  cell: ({ before }) => textOf(before) || t('config.none'),
                },
                {
                  label: t('config.after'),
                  cell: ({ after }) => <b>{textOf(after) || t('config.none')}</b>,
                },
                { label: t('config.who'), isAddress: true, cell: ({ by }) => by ?? '–' },
                { label: t('config.why'), isAddress: true, cell: ({ note }) => note ?? '–' },
              ]}
            />
          )
        }
      </Loaded>
      <MoreButton pages={pages} />
    </section>
  )
}
