/** The fields of a run: where each input comes from, what each parameter is. */
import { useTranslation } from 'react-i18next'
import type { TableView } from '@minga/protocol'
import { Select } from '../../components/choice.tsx'
import { useStation } from '../../api/use-station.ts'
import type { WrittenQuery } from '../../api/queries.ts'
import { Field } from '../../components/field.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { FileUpload } from './file-upload.tsx'
import {
  inputsOf,
  parametersOf,
  type InputForm,
  type NeededInput,
  type Problem,
  type RunForm,
} from './run-form.ts'

interface RunFieldsProps {
  queries: readonly WrittenQuery[]
  form: RunForm
  onForm: (form: RunForm) => void
  /** Only of fields that the user has seen; none before the first attempt to run it. */
  problems: Record<string, Problem>
}

export function RunFields({ queries, form, onForm, problems }: RunFieldsProps) {
  const { t } = useTranslation()
  const parameters = parametersOf(queries)
  return (
    <>
      {inputsOf(queries).map((needed) => (
        <InputFields
          key={needed.name}
          needed={needed}
          input={form.inputs[needed.name]!}
          isMissing={`inputs.${needed.name}` in problems}
          onInput={(input) => onForm({ ...form, inputs: { ...form.inputs, [needed.name]: input } })}
        />
      ))}
      {parameters.length === 0 ? null : (
        <fieldset>
          <legend>{t('query.parameters')}</legend>
          <div className="limit-grid">
            {parameters.map(({ name, type, default: usual, about }) => (
              <Field
                key={name}
                label={name}
                help={t('query.parameterHelp', { about, value: String(usual) })}
                value={form.parameters[name] ?? ''}
                placeholder={String(usual)}
                problem={problemText(t, problems[`parameters.${name}`])}
                {...(type === 'text' ? {} : { inputMode: 'decimal' as const })}
                onChange={(text) =>
                  onForm({ ...form, parameters: { ...form.parameters, [name]: text } })
                }
              />
            ))}
          </div>
        </fieldset>
      )}
    </>
  )
}

export function problemText(
  t: (key: string) => string,
  problem: Problem | undefined,
): string | undefined {
  return problem === undefined ? undefined : t(`query.problem.${problem}`)
}

interface InputFieldsProps {
  needed: NeededInput
  input: InputForm
  isMissing: boolean
  onInput: (input: InputForm) => void
}

function InputFields({ needed, input, isMissing, onInput }: InputFieldsProps) {
  const { t } = useTranslation()
  const { may } = useMe()
  const { name, columns } = needed
  // A path names a file of the station's own machine: only its operator may.
  const sources = may('workers:run')
    ? (['table', 'upload', 'path'] as const)
    : (['table', 'upload'] as const)
  return (
    <fieldset>
      <legend>{t('query.input', { name })}</legend>
      {columns.length === 0 ? null : (
        <p className="quiet">
          {t('query.inputColumns')} <code>{columns.join(', ')}</code>
        </p>
      )}
      <div className="radios inline" role="radiogroup" aria-label={t('query.inputFrom')}>
        {sources.map((from) => (
          <label key={from} className="radio">
            <input
              type="radio"
              name={`from-${name}`}
              checked={input.from === from}
              onChange={() => onInput({ ...input, from })}
            />
            {t(`query.from.${from}`)}
          </label>
        ))}
      </div>
      {input.from === 'table' ? <TableChoice input={input} onInput={onInput} /> : null}
      {input.from === 'upload' ? (
        <FileUpload
          label={t('query.file')}
          onReady={(upload) => onInput({ ...input, from: 'upload', upload })}
        />
      ) : null}
      {input.from === 'path' ? (
        <Field
          label={t('query.path')}
          help={t('query.pathHelp')}
          value={input.path}
          onChange={(path) => onInput({ ...input, path })}
          placeholder="/data/books.csv"
        />
      ) : null}
      {isMissing ? <p className="react-aria-FieldError">{t('query.problem.input')}</p> : null}
    </fieldset>
  )
}

function TableChoice({ input, onInput }: Pick<InputFieldsProps, 'input' | 'onInput'>) {
  const { t } = useTranslation()
  const format = useFormat()
  const tables = useStation(['tables'], 'GET /tables')
  const { table, version } = input
  const versions = useStation(['table-versions', table], 'GET /tables/{name}/versions', {
    params: { name: table },
    enabled: table !== '',
  })
  return (
    <div className="form inline">
      <Select
        label={t('query.table')}
        value={table}
        onChange={(chosen) => onInput({ ...input, table: chosen, version: '' })}
        options={[
          ['', t('query.chooseTable')],
          ...withChosen(tables.data ?? [], table).map((name) => [name, name] as const),
        ]}
      />
      {table === '' ? null : (
        <Select
          label={t('query.version')}
          value={version}
          onChange={(chosen) => onInput({ ...input, version: chosen })}
          options={[
            ['', t('query.versionNow')],
            ...(versions.data ?? []).map(
              (one) =>
                [
                  String(one.version),
                  t('query.versionAt', { version: one.version, time: format.moment(one.at) }),
                ] as const,
            ),
          ]}
        />
      )}
    </div>
  )
}

/** What a query reads by itself may be a table that is not there yet. */
function withChosen(tables: readonly TableView[], chosen: string): string[] {
  const names = tables.filter(({ kind }) => kind !== 'rejects').map(({ name }) => name)
  return chosen === '' || names.includes(chosen) ? names : [chosen, ...names]
}
