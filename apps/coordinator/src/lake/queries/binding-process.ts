/**
 * The process that looks into files and checks queries before they run. Both are strangers': a file
 * may break the native code that reads it, and DuckDB computes the constants of an expression when
 * it plans it.
 */
import {
  inferRules,
  inspectFile,
  planQueries,
  type QueryRequest,
  type Binding,
  type FileBinding,
  type InspectedFile,
  type InputRules,
  type InspectOptions,
  type Plan,
  type PlanOptions,
} from '@minga/lake'
import { isMingaError } from '@minga/protocol'

export interface BindingCalls {
  look: { args: { file: InspectedFile; wishes: InspectOptions }; result: FileBinding }
  infer: { args: { path: string; binding: FileBinding }; result: InputRules }
  plan: {
    args: {
      asked: readonly QueryRequest[]
      bindings: Readonly<Record<string, Binding>>
      options: PlanOptions
    }
    result: Plan
  }
}

export type BindingQuestion = {
  [N in keyof BindingCalls]: { name: N; args: BindingCalls[N]['args'] }
}[keyof BindingCalls]

export type BindingAnswer =
  | { result: BindingCalls[keyof BindingCalls]['result'] }
  | { problem: { code: string | null; message: string } }

function answer(question: BindingQuestion): Promise<BindingCalls[keyof BindingCalls]['result']> {
  switch (question.name) {
    case 'look':
      return inspectFile(question.args.file, question.args.wishes)
    case 'infer':
      return inferRules(question.args.path, question.args.binding)
    case 'plan': {
      const { asked, bindings, options } = question.args
      return planQueries(asked, bindings, options)
    }
  }
}

function problemOf(error: unknown): BindingAnswer {
  const message = error instanceof Error ? error.message : String(error)
  return { problem: { code: isMingaError(error) ? error.code : null, message } }
}

if (import.meta.main) {
  process.once('disconnect', () => process.exit(1))
  process.on('message', (question: BindingQuestion) => {
    answer(question).then(
      (result) => process.send!({ result } satisfies BindingAnswer),
      (error: unknown) => process.send!(problemOf(error)),
    )
  })
  process.send!({ isReady: true })
}
