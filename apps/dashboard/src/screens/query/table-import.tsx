/** Rows of a file become rows of a table: the file is looked at first, and what was found out can be changed. */
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, Checkbox } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { FileSummary, ImportMessage, InputSource } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { newId } from './digest.ts'
import { FileUpload } from './file-upload.tsx'
import { ImportPreviewed } from './import-preview.tsx'
import { FIELD_TYPES, isTableName, tableNameOf, type Rules } from './import-form.ts'

const lookAtInput = (input: InputSource): Promise<FileSummary> =>
  station('POST /inputs/look', { body: { input } })

/** `table`: the one that rows are added to; null for a new one. */
export function TableImport({ table }: { table: string | null }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const [name, setName] = useState(table ?? '')
  const [input, setInput] = useState<InputSource | null>(null)
  const [path, setPath] = useState('')
  const summary = useMutation({ mutationFn: lookAtInput })
  const take = (source: InputSource, fileName: string): void => {
    setInput(source)
    if (name === '') setName(tableNameOf(fileName))
    summary.mutate(source)
  }
  return (
    <section className="card">
      <h2>{table === null ? t('tables.import') : t('tables.importInto')}</h2>
      <p className="quiet">{t('tables.importNote')}</p>
      <FileUpload label={t('query.file')} onReady={(upload, file) => take({ upload }, file.name)} />
      {may('workers:run') ? (
        <details>
          <summary>{t('query.from.path')}</summary>
          <div className="form inline">
            <Field
              label={t('query.path')}
              value={path}
              onChange={setPath}
              placeholder="/data/books.csv"
            />
            <Button
              isDisabled={path.trim() === ''}
              onPress={() => take({ path: path.trim() }, path)}
            >
              {t('tables.look')}
            </Button>
          </div>
        </details>
      ) : null}
      <Failure error={summary.error} />
      {summary.data === undefined || input === null ? null : (
        <Importing
          key={JSON.stringify(input)}
          {...{ input, name, table }}
          summary={summary.data}
          onName={setName}
        />
      )}
    </section>
  )
}

interface ImportingProps {
  input: InputSource
  summary: FileSummary
  name: string
  table: string | null
  onName: (name: string) => void
}

function Importing({ input, summary, name, table, onName }: ImportingProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const navigate = useNavigate()
  const [rules, setRules] = useState<Rules>(summary.rules.columns)
  const [isReplacing, setReplacing] = useState(false)
  const send = useMutation({
    mutationFn: () => {
      const message: ImportMessage = { input, rules: { columns: rules }, isReplacing }
      return station('POST /tables/{name}/import', {
        params: { name },
        body: { ...message, id: newId() },
      })
    },
    onSuccess: ({ id }) => navigate({ to: '/queries/$id', params: { id } }),
  })
  return (
    <div className="form">
      <p>
        {t('tables.found', {
          format: summary.format.toUpperCase(),
          bytes: format.bytes(summary.bytes),
          count: Object.keys(rules).length,
        })}
      </p>
      <RulesTable rules={rules} onRules={setRules} />
      <ImportPreviewed input={input} rules={rules} />
      {table === null ? (
        <Field
          label={t('tables.name')}
          help={t('tables.nameHelp')}
          value={name}
          onChange={onName}
          problem={name === '' || isTableName(name) ? undefined : t('tables.nameWrong')}
        />
      ) : (
        <Checkbox isSelected={isReplacing} onChange={setReplacing}>
          <span className="box" aria-hidden="true" />
          {t('tables.replace')}
        </Checkbox>
      )}
      <Failure error={send.error} />
      <div className="actions">
        <Button
          className="primary"
          isDisabled={!isTableName(name) || send.isPending}
          onPress={() => send.mutate()}
        >
          {t('tables.importNow')}
        </Button>
      </div>
    </div>
  )
}

function RulesTable({ rules, onRules }: { rules: Rules; onRules: (rules: Rules) => void }) {
  const { t } = useTranslation()
  const change = (column: string, rule: Partial<Rules[string]>): void =>
    onRules({ ...rules, [column]: { ...rules[column]!, ...rule } })
  return (
    <table className="data-table">
      <caption className="unseen">{t('tables.rules')}</caption>
      <thead>
        <tr>
          {(['column', 'type', 'required', 'onFlaw'] as const).map((word) => (
            <th key={word} scope="col">
              {t(`tables.rule.${word}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Object.entries(rules).map(([column, rule]) => (
          <tr key={column}>
            <td className="address" data-label={t('tables.rule.column')}>
              <b>{column}</b>
              {rule.from === undefined ? null : <span>{rule.from}</span>}
            </td>
            <td data-label={t('tables.rule.type')}>
              <select
                aria-label={`${t('tables.rule.type')}: ${column}`}
                value={rule.type}
                onChange={({ target }) =>
                  change(column, { type: target.value as Rules[string]['type'] })
                }
              >
                {FIELD_TYPES.map((type) => (
                  <option key={type} value={type}>
                    {t(`tables.type.${type}`)}
                  </option>
                ))}
              </select>
            </td>
            <td data-label={t('tables.rule.required')}>
              <input
                type="checkbox"
                aria-label={`${t('tables.rule.required')}: ${column}`}
                checked={rule.isRequired ?? false}
                onChange={({ target }) => change(column, { isRequired: target.checked })}
              />
            </td>
            <td data-label={t('tables.rule.onFlaw')}>
              <select
                aria-label={`${t('tables.rule.onFlaw')}: ${column}`}
                value={rule.onFlaw ?? 'empty'}
                onChange={({ target }) =>
                  change(column, { onFlaw: target.value as 'drop' | 'empty' })
                }
              >
                {(['empty', 'drop'] as const).map((what) => (
                  <option key={what} value={what}>
                    {t(`tables.flaw.${what}`)}
                  </option>
                ))}
              </select>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
