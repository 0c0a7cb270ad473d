/** What happens when this tab gets a key after it was opened: everything is read again, and a toast says who that is. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { keepKey, signInByLink, takeKeyFromAddress, takeSignInFromAddress } from '../api/key.ts'
import { readMe } from '../api/people.ts'
import { tell } from '../parts/toast-store.ts'
import { ME } from './use-me.ts'

/** Reads who the key in this tab belongs to; an unknown key is forgotten again. */
function useKeyCheck(): () => Promise<void> {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return useCallback(async () => {
    try {
      const me = await readMe()
      if (me === null) return tell(t('key.unknown'), 'failure')
      await queries.resetQueries()
      queries.setQueryData(ME, me)
      const roles = me.account.roles.map((role) => t(`role.${role}`))
      tell(t('key.now', { role: roles.length === 0 ? me.account.name : roles.join(', ') }))
    } catch (error) {
      tell((error as Error).message || t('failure.gone'), 'failure')
    }
  }, [queries, t])
}

/** Keeps a key that was typed. */
export function useKey(): (key: string) => Promise<void> {
  const check = useKeyCheck()
  return (key) => {
    keepKey(key)
    return check()
  }
}

/** An address with a key that is opened in a tab that is open already changes its hash alone and loads nothing. */
export function useKeyFromAddress(): void {
  const check = useKeyCheck()
  useEffect(() => {
    const changed = (): void => {
      if (takeKeyFromAddress()) return void check()
      const token = takeSignInFromAddress()
      if (token !== null) void signInByLink(token).then(check)
    }
    window.addEventListener('hashchange', changed)
    return () => window.removeEventListener('hashchange', changed)
  }, [check])
}
