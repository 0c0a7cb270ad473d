/** What is wanted of a wiki: which pages, how deep, within which limits. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Checkbox } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Radios } from '../../components/choice.tsx'
import { ChangeForm } from '../../components/change-form.tsx'
import { station } from '../../api/station.ts'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { WikiLimitFields } from './wiki-limit-fields.tsx'
import {
  CHOICES,
  EMPTY_WIKI,
  wikiAsked,
  wikiProblemsOf,
  type WikiProblems,
  type WikiTyped,
} from './wiki-form.ts'

export function WikiAdd() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [typed, setTyped] = useState(EMPTY_WIKI)
  const [wasSent, setWasSent] = useState(false)
  const add = useChange(async () => {
    const { id } = await station('POST /wikis', { body: wikiAsked(typed) })
    setTyped(EMPTY_WIKI)
    setWasSent(false)
    await navigate({ to: '/wikis', search: { task: id } })
  }, ['wikis', 'wiki-tasks'])
  const problems = wasSent ? wikiProblemsOf(typed) : {}
  const change = (part: Partial<WikiTyped>): void => setTyped({ ...typed, ...part })
  return (
    <ChangeForm
      change={add}
      isFilled={Object.keys(wikiProblemsOf(typed)).length === 0}
      label={t('wikiAdd.add')}
      isPrimary
      onTry={() => setWasSent(true)}
    >
      <Where typed={typed} change={change} problems={problems} />
      <What typed={typed} change={change} problems={problems} />
      <details>
        <summary>{t('wikiAdd.limits')}</summary>
        <WikiLimitFields typed={typed} change={change} problems={problems} />
        <Manners typed={typed} change={change} />
      </details>
    </ChangeForm>
  )
}

interface PartProps {
  typed: WikiTyped
  change: (part: Partial<WikiTyped>) => void
  problems: WikiProblems
}

function Where({ typed, change, problems }: PartProps) {
  const { t } = useTranslation()
  return (
    <div className="wiki-where">
      <Field
        label={t('wikiAdd.address')}
        value={typed.address}
        onChange={(address) => change({ address })}
        help={t('wikiAdd.addressHelp')}
        placeholder="https://en.wikipedia.org/wiki/Llama"
        problem={problems.address === undefined ? undefined : t('wikiAdd.addressMissing')}
      />
      <Field
        label={t('wikiAdd.locale')}
        value={typed.locale}
        onChange={(locale) => change({ locale })}
        help={t('wikiAdd.localeHelp')}
        placeholder="es"
        problem={problems.locale === undefined ? undefined : t('wikiAdd.localeWrong')}
        isShort
      />
    </div>
  )
}

function What({ typed, change, problems }: PartProps) {
  const { t } = useTranslation()
  const { choice } = typed
  return (
    <>
      <Radios
        label={t('wikiAdd.what')}
        value={choice}
        onChange={(chosen) => change({ choice: chosen })}
        options={CHOICES.map((one) => [one, t(`wikiAdd.choice.${one}`)])}
        isAcross
      />
      {choice === 'pages' ? (
        <Field
          label={t('wikiAdd.pages')}
          value={typed.pages}
          onChange={(pages) => change({ pages })}
          rows={4}
          help={t('wikiAdd.pagesHelp')}
          problem={problems.pages === undefined ? undefined : t('wikiAdd.pagesMissing')}
        />
      ) : null}
      {choice === 'category' ? (
        <Categories typed={typed} change={change} problems={problems} />
      ) : null}
      {choice === 'namespaces' ? (
        <Field
          label={t('wikiAdd.namespaces')}
          value={typed.namespaces}
          onChange={(namespaces) => change({ namespaces })}
          help={t('wikiAdd.namespacesHelp')}
          problem={problems.namespaces === undefined ? undefined : t('wikiAdd.namespacesWrong')}
        />
      ) : null}
      {choice === 'all' ? <p className="quiet">{t('wikiAdd.allNote')}</p> : null}
    </>
  )
}

function Categories({ typed, change, problems }: PartProps) {
  const { t } = useTranslation()
  return (
    <>
      <Field
        label={t('wikiAdd.categories')}
        value={typed.categories}
        onChange={(categories) => change({ categories })}
        rows={2}
        help={t('wikiAdd.categoriesHelp')}
        problem={problems.categories === undefined ? undefined : t('wikiAdd.categoriesMissing')}
      />
      <Field
        label={t('wikiAdd.depth')}
        value={typed.depth}
        onChange={(depth) => change({ depth })}
        inputMode="numeric"
        help={t('wikiAdd.depthHelp')}
        problem={problems.depth === undefined ? undefined : t('wikiAdd.depthWrong')}
        isShort
      />
    </>
  )
}

const MANNERS = ['obeyRobots', 'keepWarc', 'volunteers'] as const

function Manners({ typed, change }: Omit<PartProps, 'problems'>) {
  const { t } = useTranslation()
  return (
    <div className="radios">
      {MANNERS.map((name) => (
        <Checkbox key={name} isSelected={typed[name]} onChange={(isOn) => change({ [name]: isOn })}>
          <span className="box" aria-hidden="true" />
          {t(`wikiAdd.manner.${name}`)}
        </Checkbox>
      ))}
    </div>
  )
}
