/**
 * What happens when this tab gets a key or a sign-in link: everything is read again, and a toast says whose account it
 * is. Who is signed in already is asked first: in the account of an attacker, who sent the address, all that its reader
 * does and types would be the attacker's.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { acceptLogin, takeLoginFromAddress, type AddressLogin } from '../api/key.ts'
import { findKeyHolder, readMe, type Me } from '../api/people.ts'
import { tell } from '../components/frame/toast-store.ts'
import { takeArrival } from './login-arrival.ts'
import { ME } from './use-me.ts'

/** Uses a key or a link, and reads who that is; an unknown key is forgotten again. */
function useLogin(): (login: AddressLogin) => Promise<void> {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return useCallback(
    async (login) => {
      try {
        if (!(await acceptLogin(login))) return tell(t('key.linkOver'), 'failure')
        const me = await readMe()
        if (me === null) return tell(t('key.unknown'), 'failure')
        await queries.resetQueries()
        queries.setQueryData(ME, me)
        const roles = me.account.roles.map((role) => t(`role.${role}`))
        tell(t('key.now', { role: roles.length === 0 ? me.account.name : roles.join(', ') }))
      } catch (error) {
        tell((error as Error).message || t('failure.gone'), 'failure')
      }
    },
    [queries, t],
  )
}

/** Keeps a key that was typed. */
export function useKey(): (key: string) => Promise<void> {
  const login = useLogin()
  return (key) => login({ key })
}

/** What the reader is asked: whether to become another account. */
export interface LoginQuestion {
  own: string
  /** The name of the other account; a link says it only when it is used. */
  other: string | null
  accept: () => void
  close: () => void
}

/** An address that is opened in a tab that is open already changes its hash alone and loads nothing. */
export function useLoginFromAddress(): LoginQuestion | null {
  const { t } = useTranslation()
  const login = useLogin()
  const [question, setQuestion] = useState<Omit<LoginQuestion, 'close'> | null>(null)
  const consider = useCallback(
    async (offered: AddressLogin) => {
      try {
        const own = await readMe()
        if (own === null) return await login(offered)
        const other = 'key' in offered ? await findKeyHolder(offered.key) : undefined
        if (other === null) return tell(t('key.unknown'), 'failure')
        if (other?.account.id === own.account.id) return await login(offered)
        const accept = (): void => void login(offered)
        setQuestion({ own: own.account.name, other: other?.account.name ?? null, accept })
      } catch (error) {
        tell((error as Error).message || t('failure.gone'), 'failure')
      }
    },
    [login, t],
  )
  useArrival(consider)
  useEffect(() => {
    const changed = (): void => {
      const offered = takeLoginFromAddress()
      if (offered !== null) void consider(offered)
    }
    window.addEventListener('hashchange', changed)
    return () => window.removeEventListener('hashchange', changed)
  }, [consider])
  return question === null ? null : { ...question, close: () => setQuestion(null) }
}

/** What the address brought that loaded the page. */
function useArrival(consider: (offered: AddressLogin) => Promise<void>): void {
  const { t } = useTranslation()
  const queries = useQueryClient()
  useEffect(() => {
    const arrival = takeArrival()
    if (arrival?.kind === 'undecided') return void consider(arrival.login)
    if (arrival === null) return
    if (!arrival.isAccepted) return tell(t('key.linkOver'), 'failure')
    const report = (me: Me | null): void => {
      if (me === null) tell(t('key.unknown'), 'failure')
      else tell(t('key.as', { name: me.account.name }))
    }
    // The screen itself says when the station does not answer.
    queries.ensureQueryData({ queryKey: ME, queryFn: readMe }).then(report, () => undefined)
  }, [consider, queries, t])
}
