package localserver

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test's own program plays the servers, and a test that is killed.
func TestMain(m *testing.M) {
	switch os.Getenv("LOCALSERVER_ROLE") {
	case "server":
		child := role("child")
		out, err := child.StdoutPipe()
		must(err)
		must(child.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		must(err)
		fmt.Print(line)
		serve("address")
	case "child":
		serve("child")
	case "failing server":
		fmt.Println("no memory")
	case "killed test":
		p := Start(recorder{}, role("server"), address)
		fmt.Printf("address %s\n%s\n", p.Address, p.printed.last())
		must(syscall.Kill(os.Getpid(), syscall.SIGKILL))
	default:
		os.Exit(m.Run())
	}
}

var (
	address = regexp.MustCompile(`(?m)^address (\S+)$`)
	child   = regexp.MustCompile(`(?m)^child (\S+)$`)
)

func role(name string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "LOCALSERVER_ROLE="+name)
	return c
}

func serve(name string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	fmt.Println(name, l.Addr())
	must(http.Serve(l, http.NotFoundHandler()))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// gone waits until nobody listens there.
func gone(t *testing.T, address string) {
	t.Helper()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err != nil
	}, 20*time.Second, 10*time.Millisecond, "%s still listens", address)
}

func TestKillEndsAll(t *testing.T) {
	p := Start(t, role("server"), address)
	reply, err := http.Get("http://" + p.Address)
	require.NoError(t, err)
	reply.Body.Close()
	p.Kill()
	gone(t, p.Address)
	gone(t, child.FindStringSubmatch(p.printed.last())[1])
	p.Kill() // again
}

func TestServersEndWithAKilledTest(t *testing.T) {
	out, err := role("killed test").Output()
	require.EqualError(t, err, "signal: killed")
	gone(t, address.FindStringSubmatch(string(out))[1])
	gone(t, child.FindStringSubmatch(string(out))[1])
}

func TestServerThatEnds(t *testing.T) {
	assert.PanicsWithValue(t, stopped("fatal: "+os.Args[0]+" ended before it answered"), func() {
		Start(recorder{}, role("failing server"), address)
	})
}
